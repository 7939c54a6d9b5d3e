//! What is told of a member, by name. This is the one place where metrics are made: what is to be sorted, filtered or
//! ranked by is added here.

use serde_json::{Map, Value};

/// Metrics by name, in the order in which they are shown; only numbers and truth values.
pub type Metrics = Map<String, Value>;

/// What a metric is, for people.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Metric {
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) meaning: &'static str,
}

const fn metric(name: &'static str, unit: &'static str, meaning: &'static str) -> Metric {
    Metric {
        name,
        unit,
        meaning,
    }
}

/// Every metric that members may have.
pub(crate) const ALL: [Metric; 21] = [
    metric("relief_m", "m", "highest less lowest elevation"),
    metric("min_m", "m", "lowest elevation"),
    metric("max_m", "m", "highest elevation"),
    metric("mean_m", "m", "mean elevation"),
    metric(
        "land_share",
        "share",
        "share of cells above the sea, of those with data",
    ),
    metric("lakes", "", "number of lakes"),
    metric(
        "lake_chain",
        "",
        "lakes in the longest row that flow one into the next",
    ),
    metric("lake_area_km2", "km²", "area of all lakes"),
    metric("largest_lake_km2", "km²", "area of the largest lake"),
    metric("lake_volume_m3", "m³", "water in all lakes"),
    metric("deepest_lake_m", "m", "depth of the deepest lake"),
    metric("dry_basins", "", "depressions that hold no water"),
    metric("eroded_m3", "m³", "ground that was eroded, of all stages"),
    metric("deposited_m3", "m³", "ground that was laid down"),
    metric("exported_m3", "m³", "ground that was carried off the map"),
    metric(
        "sediment_error",
        "",
        "largest relative error of a sediment ledger",
    ),
    metric(
        "water_error",
        "",
        "largest relative error of a water ledger",
    ),
    metric("new_spikes", "", "cells that became spikes"),
    metric("wall_s", "s", "time that it took"),
    metric("peak_rss_bytes", "B", "memory that it took"),
    metric("disk_bytes", "B", "size of its outputs"),
];

/// Statistics of the final ground.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ground {
    pub(crate) min_m: f64,
    pub(crate) max_m: f64,
    pub(crate) mean_m: f64,
    pub(crate) above_sea: f64,
}

/// The metrics of a run: of its record, and of its elevation where it wrote that.
pub(crate) fn of(record: &Value, ground: Option<Ground>) -> Metrics {
    let mut metrics = Metrics::new();
    if let Some(ground) = ground {
        metrics.insert("relief_m".into(), number(ground.max_m - ground.min_m));
        metrics.insert("min_m".into(), number(ground.min_m));
        metrics.insert("max_m".into(), number(ground.max_m));
        metrics.insert("mean_m".into(), number(ground.mean_m));
        metrics.insert("land_share".into(), number(ground.above_sea));
    }
    lakes(record, &mut metrics);
    ledgers(record, &mut metrics);
    let spikes = stages(record).filter_map(|stage| stage["sanity"]["new_spikes"].as_u64());
    metrics.insert("new_spikes".into(), spikes.sum::<u64>().into());
    for name in ["wall_s", "peak_rss_bytes"] {
        if record[name].is_number() {
            metrics.insert(name.into(), record[name].clone());
        }
    }
    let outputs = record["outputs"].as_array().into_iter().flatten();
    let bytes = outputs.filter_map(|output| output["bytes"].as_u64());
    metrics.insert("disk_bytes".into(), bytes.sum::<u64>().into());
    metrics
}

fn number(value: f64) -> Value {
    // What is not finite is no number in JSON: null.
    Value::from(value)
}

fn stages(record: &Value) -> impl Iterator<Item = &Value> {
    record["stages"].as_array().into_iter().flatten()
}

fn lakes(record: &Value, metrics: &mut Metrics) {
    let Some(rows) = record["lakes"].as_array() else {
        return;
    };
    let of = |key: &'static str| rows.iter().filter_map(move |row| row[key].as_f64());
    let most = |key| of(key).fold(0.0, f64::max);
    metrics.insert("lakes".into(), rows.len().into());
    metrics.insert("lake_chain".into(), record["max_chain"].clone());
    metrics.insert(
        "lake_area_km2".into(),
        number(of("area_km2").sum::<f64>() + 0.0),
    );
    metrics.insert("largest_lake_km2".into(), number(most("area_km2")));
    metrics.insert(
        "lake_volume_m3".into(),
        number(of("volume_m3").sum::<f64>() + 0.0),
    );
    metrics.insert("deepest_lake_m".into(), number(most("max_depth_m")));
    let dry = record["dry_basins"].as_array().map_or(0, Vec::len);
    metrics.insert("dry_basins".into(), dry.into());
}

fn ledgers(record: &Value, metrics: &mut Metrics) {
    let ledgers: Vec<&Value> = stages(record)
        .map(|stage| &stage["ledger"])
        .filter(|ledger| ledger.is_object())
        .collect();
    if ledgers.is_empty() {
        return;
    }
    for name in ["eroded_m3", "deposited_m3", "exported_m3"] {
        let amounts = ledgers
            .iter()
            .filter_map(|ledger| ledger["sediment"][name].as_f64());
        metrics.insert(name.into(), number(amounts.sum()));
    }
    for (name, account) in [("sediment_error", "sediment"), ("water_error", "water")] {
        let errors = ledgers
            .iter()
            .filter_map(|ledger| ledger[account]["relative_error"].as_f64());
        metrics.insert(name.into(), number(errors.fold(0.0, f64::max)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_sums_and_extremes_of_the_record() {
        let record = serde_json::json!({
            "wall_s": 2.5,
            "stages": [
                { "kind": "synthesize", "sanity": { "new_spikes": 0 } },
                { "ledger": { "sediment": { "eroded_m3": 5.0, "deposited_m3": 3.0, "exported_m3": 2.0, "relative_error": 1e-9 },
                              "water": { "relative_error": 0.0 } }, "sanity": { "new_spikes": 2 } },
                { "ledger": { "sediment": { "eroded_m3": 1.0, "deposited_m3": 1.0, "exported_m3": 0.0, "relative_error": 3e-9 },
                              "water": { "relative_error": 0.0 } }, "sanity": { "new_spikes": 1 } },
            ],
            "max_chain": 2,
            "lakes": [ { "area_km2": 0.5, "volume_m3": 100.0, "max_depth_m": 4.0 }, { "area_km2": 0.25, "volume_m3": 20.0, "max_depth_m": 9.0 } ],
            "dry_basins": [],
            "outputs": [ { "bytes": 10 }, { "bytes": 32 } ],
        });
        let ground = Ground {
            min_m: -5.0,
            max_m: 95.0,
            mean_m: 40.0,
            above_sea: 0.75,
        };
        let metrics = of(&record, Some(ground));
        let expected = [
            ("relief_m", 100.0),
            ("lakes", 2.0),
            ("lake_chain", 2.0),
            ("lake_area_km2", 0.75),
            ("largest_lake_km2", 0.5),
            ("lake_volume_m3", 120.0),
            ("deepest_lake_m", 9.0),
            ("eroded_m3", 6.0),
            ("sediment_error", 3e-9),
            ("new_spikes", 3.0),
            ("wall_s", 2.5),
            ("disk_bytes", 42.0),
        ];
        for (name, value) in expected {
            assert!(
                (metrics[name].as_f64().unwrap() - value).abs() < 1e-12,
                "{name}"
            );
        }
        for name in metrics.keys() {
            assert!(ALL.iter().any(|metric| metric.name == name), "{name}");
        }
        // Without lakes and erosion there is nothing to tell of them.
        let bare = of(&serde_json::json!({ "stages": [] }), None);
        assert!(!bare.contains_key("lakes") && !bare.contains_key("eroded_m3"));
    }
}
