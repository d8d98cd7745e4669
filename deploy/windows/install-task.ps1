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
# Only the service and administrators may read the data.
icacls $Data /inheritance:r /grant "NT AUTHORITY\LOCAL SERVICE:(OI)(CI)F" "BUILTIN\Administrators:(OI)(CI)F" | Out-Null

$action = New-ScheduledTaskAction -Execute $Executable -Argument "serve --data `"$Data`""
$trigger = New-ScheduledTaskTrigger -AtStartup
$principal = New-ScheduledTaskPrincipal -UserId "NT AUTHORITY\LOCAL SERVICE" -LogonType ServiceAccount
$settings = New-ScheduledTaskSettingsSet -RestartCount 10 -RestartInterval (New-TimeSpan -Minutes 1) `
  -ExecutionTimeLimit ([TimeSpan]::Zero) -AllowStartIfOnBatteries -DontStopIfGoingOnBatteries
Register-ScheduledTask -TaskName outreachd -Action $action -Trigger $trigger -Principal $principal -Settings $settings -Force
Start-ScheduledTask outreachd
# The task has no window that could show the API key of the first start.
Write-Host "Create a sign-in link with: & `"$Executable`" user link admin@localhost --data `"$Data`""
