//! Standing water by closed forms: what falls into a bowl fills it to the level that its volume says.

use crate::ground::map_of;
use thalweg_erosion::{Edge, Edges, Parameters, Pools, Report, erode};
use thalweg_grid::{Layer, Map, NoObserver, Shape, StageKey};

/// Rain that runs and is lost nowhere: no exchange, no evaporation, walls all round.
fn rain(depth_m: f64) -> Parameters {
    Parameters {
        droplets_per_cell: 0.5,
        cycles: 40,
        water_depth_m: Some(depth_m),
        exchange: 0.0,
        evaporation: 0.0,
        // A droplet that keeps its speed would pass over low saddles.
        friction: 1.0,
        edges: Edges::all(Edge::Closed),
        pools: Some(Pools::default()),
        ..Parameters::default()
    }
}

fn run(map: &mut Map, parameters: &Parameters) -> Report {
    let key = StageKey::new(3, "basins");
    let report = erode(map, parameters, key, &NoObserver).expect("a run");
    let water = &report.ledger.water;
    let kept = water.in_pools_m3 / water.rain_m3;
    assert!((kept - 1.0).abs() < 1e-9, "all rain stands: {water:#?}");
    report
}

/// The one level of the water in some columns, m.
fn level(map: &Map, cols: std::ops::Range<usize>) -> f64 {
    let level = map.float(Layer::WaterLevel).expect("levels");
    let mut found: Vec<f32> = level
        .indexed_iter()
        .filter(|((_, col), value)| cols.contains(col) && value.is_finite())
        .map(|(_, &value)| value)
        .collect();
    found.sort_by(f32::total_cmp);
    let (lowest, highest) = (found[0], found[found.len() - 1]);
    assert_eq!(lowest.to_bits(), highest.to_bits(), "one level");
    f64::from(lowest)
}

/// Water below a level in some columns, m³.
fn volume(map: &Map, cols: std::ops::Range<usize>, level_m: f64) -> f64 {
    let heights = map.elevation.indexed_iter();
    let depths = heights
        .filter(|((_, col), _)| cols.contains(col))
        .map(|(_, &height)| (level_m - f64::from(height)).max(0.0));
    depths.sum::<f64>() * map.grid.cell_area_m2()
}

/// z = a r² holds V = π L² ÷ 2a up to the level L, and a cone z = b r holds V = π L³ ÷ 3b².
#[test]
fn a_bowl_fills_to_the_level_that_its_water_says() {
    const SIZE: usize = 65;
    let middle = (SIZE / 2) as f64;
    let radius_m = |row: usize, col: usize| {
        let (south, east) = (row as f64 - middle, col as f64 - middle);
        10.0 * libm::hypot(south, east)
    };
    let pi = std::f64::consts::PI;
    let (a, b) = (1e-3, 0.08);
    type Form<'a> = &'a dyn Fn(f64) -> f64;
    let forms: [(Form<'_>, Form<'_>); 2] = [
        (&|r| a * r * r, &|v| (2.0 * a * v / pi).sqrt()),
        (&|r| b * r, &|v| libm::cbrt(3.0 * b * b * v / pi)),
    ];
    for (height, expected) in forms {
        for depth_m in [0.05, 0.4] {
            let mut map = map_of(Shape::new(SIZE, SIZE), 10.0, |row, col| {
                height(radius_m(row, col))
            });
            let report = run(&mut map, &rain(depth_m));
            assert_eq!(report.pools, 1);
            let water = report.ledger.water.rain_m3;
            let found = level(&map, 0..SIZE);
            // On the cells as they are, to the last digits that an f32 level of some metres has.
            let held = volume(&map, 0..SIZE, found);
            assert!((held / water - 1.0).abs() < 1e-5, "{held} m³ of {water} m³");
            // As a smooth body, to what cells of 10 m make of a lake of a few hundred metres.
            let smooth = expected(water);
            assert!(
                (found / smooth - 1.0).abs() < 0.01,
                "{found} m, expected {smooth} m of {water} m³"
            );
        }
    }
}

/// Three bowls in a row; the middle one's saddle to the west is the higher one.
mod row {
    /// Columns of the three bowls, without the saddles' own.
    pub(super) const WEST: std::ops::Range<usize> = 0..40;
    pub(super) const MIDDLE: std::ops::Range<usize> = 41..80;
    pub(super) const EAST: std::ops::Range<usize> = 81..121;
    pub(super) const ROWS: usize = 31;
    pub(super) const SADDLES_M: [f64; 2] = [8.0, 6.0];

    /// Column and elevation of where the bowls are deepest: the outer ones hold all that comes.
    const DEEPEST: [(f64, f64); 3] = [(20.0, -10.0), (60.0, 0.0), (100.0, -20.0)];
    /// The same of the highest points between and beyond them.
    const TOPS: [(f64, f64); 4] = [
        (0.0, 12.0),
        (40.0, SADDLES_M[0]),
        (80.0, SADDLES_M[1]),
        (120.0, 12.0),
    ];

    /// Elevation, m: straight slopes along the row of bowls, higher towards the north and the south.
    pub(super) fn height_m(row: usize, col: usize) -> f64 {
        let col = col as f64;
        let bowl = TOPS.iter().filter(|top| top.0 < col).count().clamp(1, 3) - 1;
        let (middle, bottom) = DEEPEST[bowl];
        let (end, top) = TOPS[bowl + usize::from(col > middle)];
        let along = bottom + (top - bottom) * (col - middle) / (end - middle);
        let across = row as f64 - (ROWS as f64 - 1.0) / 2.0;
        along + 0.03 * across * across
    }
}

/// The middle bowl's water rises to its lower saddle, in the east, and no further; what falls there beyond goes east,
/// and none of it west. How much rain falls on which bowl is binomial.
#[test]
fn a_bowl_spills_over_its_lower_saddle() {
    let mut map = map_of(Shape::new(row::ROWS, 121), 10.0, row::height_m);
    let report = run(&mut map, &rain(2.2));
    assert_eq!(report.pools, 3);
    let rain_m3 = report.ledger.water.rain_m3;
    let share = |cols: &std::ops::Range<usize>| cols.len() as f64 / 121.0;
    let droplets = report.droplets as f64;
    let sigma_m3 = |share: f64| rain_m3 * (share * (1.0 - share) / droplets).sqrt();
    let held = |cols: std::ops::Range<usize>| volume(&map, cols.clone(), level(&map, cols));

    let middle = level(&map, row::MIDDLE);
    let [_, lower] = row::SADDLES_M;
    assert!(
        (middle - lower).abs() < 1e-3,
        "{middle} m, expected {lower} m"
    );
    let full = volume(&map, row::MIDDLE, lower);
    assert!(full < 0.8 * share(&row::MIDDLE) * rain_m3, "it overflows");

    let (west, own) = (held(row::WEST), share(&row::WEST));
    assert!(
        (west - own * rain_m3).abs() < 4.0 * sigma_m3(own) + rain_m3 / 121.0,
        "the west holds {west} m³ of {rain_m3} m³"
    );
    let east = held(row::EAST);
    let both = share(&row::MIDDLE) + share(&row::EAST);
    assert!(
        (east + full - both * rain_m3).abs() < 4.0 * sigma_m3(both) + rain_m3 / 121.0,
        "the east holds {east} m³, the middle {full} m³ of {rain_m3} m³"
    );
    assert!(level(&map, row::EAST) < lower && level(&map, row::WEST) < row::SADDLES_M[0]);
}
