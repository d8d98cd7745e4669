# Runs outreachd as a scheduled task that starts with Windows, as the account LOCAL SERVICE. In PowerShell as administrator:
#   .\install-task.ps1 -Executable "C:\Program Files\outreachd\outreachd.exe" -Data "C:\ProgramData\outreachd"
# Stop: Stop-ScheduledTask outreachd. Remove: Unregister-ScheduledTask outreachd.
# Stopping a task ends the process at once. That loses nothing: the next start continues where this one stopped.
param(
  [Parameter(Mandatory)] [string] $Executable,
  [Parameter(Mandatory)] [string] $Data
)
$ErrorActionPreference = "Stop"

New-Item -ItemType Directory -Force -Path $Data | Out-Null
# Only the service and administrators may read the data. By their SIDs, because Windows translates the names of accounts.
$localService = "S-1-5-19"
$administrators = "S-1-5-32-544"
icacls $Data /inheritance:r /grant "*${localService}:(OI)(CI)F" "*${administrators}:(OI)(CI)F" | Out-Null
# PowerShell does not stop if a program fails.
if ($LASTEXITCODE -ne 0) { throw "icacls could not restrict access to $Data (exit code $LASTEXITCODE)." }

$action = New-ScheduledTaskAction -Execute $Executable -Argument "serve --data `"$Data`""
$trigger = New-ScheduledTaskTrigger -AtStartup
$principal = New-ScheduledTaskPrincipal -UserId $localService -LogonType ServiceAccount
$settings = New-ScheduledTaskSettingsSet -RestartCount 10 -RestartInterval (New-TimeSpan -Minutes 1) `
  -ExecutionTimeLimit ([TimeSpan]::Zero) -AllowStartIfOnBatteries -DontStopIfGoingOnBatteries
Register-ScheduledTask -TaskName outreachd -Action $action -Trigger $trigger -Principal $principal -Settings $settings -Force
Start-ScheduledTask outreachd
# The task has no window that could show the API key of the first start.
Write-Host "Create a sign-in link with: & `"$Executable`" user link admin@localhost --data `"$Data`""
