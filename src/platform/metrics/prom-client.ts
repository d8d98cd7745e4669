// Not the package's index, which also loads its Node.js metrics and cluster support, and with them half of Node.js. That
// takes longer than everything that is measured here.
import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";
import Histogram from "prom-client/lib/histogram.js";
import Registry from "prom-client/lib/registry.js";

export { Counter, Gauge, Histogram, Registry };
