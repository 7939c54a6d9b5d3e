use super::*;
use ndarray::{Array2, array};
use thalweg_grid::{Purpose, Shape, StageKey};

/// Heights of few values, so that flats and depressions are many.
fn random(case: u64, values: u64) -> Array2<f64> {
    let shape = (3 + case as usize % 11, 3 + case as usize % 17);
    let key = StageKey::new(11, "rivers");
    Array2::from_shape_fn(shape, |(row, col)| {
        (key.bits(Purpose::Noise, case, (row * 1000 + col) as u64) % values) as f64
    })
}

fn mask(of: &Array2<f64>, case: u64) -> Array2<bool> {
    let key = StageKey::new(12, "mask");
    Array2::from_shape_fn(of.dim(), |(row, col)| {
        let bits = key.bits(Purpose::Noise, case, (row * 1000 + col) as u64);
        !bits.is_multiple_of(10)
    })
}

/// The oracle: every cell's water is followed to the end, one by one.
#[test]
fn accumulation_is_the_count_of_paths() {
    for case in 0..60 {
        let map = random(case, 2 + case % 40);
        let valid = mask(&map, case);
        let found = drainage(map.view(), Some(valid.view()), &[]).unwrap();
        let shape = Shape::from(map.dim());
        let mut passed = Array2::zeros(map.dim());
        for first in 0..shape.len() {
            if !valid[shape.position(first)] {
                assert_eq!(found.to(first), first);
                continue;
            }
            let mut cell = first;
            for step in 0.. {
                assert!(step <= shape.len(), "{map}: water goes round");
                passed[shape.position(cell)] += 1;
                let next = found.to(cell);
                if next == cell {
                    break;
                }
                assert!(valid[shape.position(next)], "{map}");
                assert!(shape.neighbours(cell).any(|other| other == next));
                assert!(found.level(next) <= found.level(cell), "{map}: uphill");
                cell = next;
            }
            let beside = shape.neighbours(cell);
            let beside = beside.filter(|at| valid[shape.position(*at)]);
            assert!(beside.count() < 8, "{map}: the end is inside");
        }
        assert_eq!(found.cells_above(), passed);
    }
}

/// Two sources meet, then two such rivers, and a single one joins: orders 1, 2, 3 and still 3.
#[test]
fn a_tree_has_the_orders_of_strahler() {
    let wall = 99.0;
    let tree = array![
        [wall, wall, wall, wall, wall, wall, wall, wall, wall],
        [wall, 20., wall, 20., wall, 20., wall, 20., wall],
        [wall, wall, 18., wall, wall, wall, 18., wall, wall],
        [wall, wall, wall, 16., wall, 16., wall, wall, wall],
        [wall, wall, wall, wall, 14., wall, wall, wall, wall],
        [wall, wall, wall, wall, 12., wall, 13., wall, wall],
        [wall, wall, wall, wall, 10., 11., wall, wall, wall],
        [wall, wall, wall, wall, 9.75, wall, wall, wall, wall],
    ];
    let valid = tree.mapv(|height| height < wall);
    // The walls are nodata, beside which mouths would be: only cells without a lower neighbour are.
    let found = drainage(tree.view(), Some(valid.view()), &[]).unwrap();
    let reaches = found.rivers(1, None);
    let shape = Shape::from(tree.dim());
    let order = |row, col| {
        let first = shape.index(row, col);
        let reach = reaches.iter().find(|reach| reach.cells[0] == first);
        reach.map(|reach| (reach.strahler, reach.cells_above, reach.fall))
    };
    assert_eq!(order(1, 1), Some((1, 1, 2.0)));
    assert_eq!(order(2, 2), Some((2, 4, 4.0)));
    assert_eq!(order(2, 6), Some((2, 4, 4.0)));
    assert_eq!(order(4, 4), Some((3, 10, 4.0)));
    assert_eq!(order(6, 4), Some((3, 14, 0.25)));
    assert_eq!(order(5, 6), Some((1, 2, 3.0)));
    assert_eq!(reaches.len(), 9);
    let diagonals = &reaches
        .iter()
        .find(|reach| reach.cells[0] == shape.index(2, 2));
    let length_cells = diagonals.unwrap().length_cells;
    assert!((length_cells - 2.0 * 2.0_f64.sqrt()).abs() < 1e-12);
}

#[test]
fn reaches_end_where_others_begin_and_cover_all_river_cells() {
    for case in 0..40 {
        let map = random(case, 200);
        let key = StageKey::new(13, "lakes");
        let lakes = Array2::from_shape_fn(map.dim(), |(row, col)| {
            let bits = key.bits(Purpose::Noise, case, (row / 2 * 1000 + col / 2) as u64);
            (bits % 3) as u32
        });
        let found = drainage(map.view(), None, &[]).unwrap();
        let least = 1 + case % 5;
        let reaches = found.rivers(least, Some(lakes.view()));
        let shape = Shape::from(map.dim());
        let above = found.cells_above();
        let lake = |cell: usize| lakes[shape.position(cell)];
        // Every river cell that is no mouth has one step down, in one reach.
        let mut steps = vec![0; shape.len()];
        for reach in &reaches {
            for step in reach.cells.windows(2) {
                assert_eq!(found.to(step[0]), step[1]);
                assert_eq!(lake(step[0]), reach.lake);
                steps[step[0]] += 1;
            }
            let end = *reach.cells.last().unwrap();
            let next = reaches.iter().find(|next| next.cells[0] == end);
            assert_eq!(next.is_none(), found.to(end) == end, "{map}");
            if let Some(next) = next {
                assert_eq!(next.from_node, reach.to_node);
                assert!(next.strahler >= reach.strahler);
            }
            let enters = lake(end) != reach.lake;
            assert_eq!(reach.into_lake, if enters { lake(end) } else { 0 });
            assert!(reach.fall >= 0.0 && reach.from_node != reach.to_node);
        }
        for (cell, steps) in steps.into_iter().enumerate() {
            let river = above[shape.position(cell)] >= least && found.to(cell) != cell;
            assert_eq!(steps, usize::from(river), "{map}");
        }
    }
}

#[test]
fn basins_hold_the_cells_above_their_mouths() {
    for case in 0..40 {
        let map = random(case, 50);
        let valid = mask(&map, case);
        let found = drainage(map.view(), Some(valid.view()), &[]).unwrap();
        let least = 1 + case % 4;
        let (basins, mouths) = found.basins(least);
        let shape = Shape::from(map.dim());
        let above = found.cells_above();
        for (number, mouth) in (1..).zip(&mouths) {
            let cells = basins.iter().filter(|at| **at == number).count() as u64;
            assert_eq!(cells, above[shape.position(*mouth)]);
            assert!(cells >= least);
        }
        let small = (0..shape.len()).filter(|&cell| basins[shape.position(cell)] == 0);
        for mut cell in small.filter(|&cell| valid[shape.position(cell)]) {
            while found.to(cell) != cell {
                cell = found.to(cell);
            }
            assert!(above[shape.position(cell)] < least, "{map}");
        }
    }
}

/// A flat is crossed by the fewest steps, not in windings.
#[test]
fn a_flat_is_crossed_straight() {
    let mut map = Array2::from_elem((9, 9), 5.0);
    map.row_mut(0).fill(9.0);
    map.row_mut(8).fill(9.0);
    map.column_mut(0).fill(9.0);
    map.column_mut(8).fill(9.0);
    map[(4, 8)] = 5.0;
    let found = drainage(map.view(), None, &[]).unwrap();
    let shape = Shape::new(9, 9);
    let (mut cell, mut steps) = (shape.index(4, 1), 0);
    while found.to(cell) != cell {
        cell = found.to(cell);
        steps += 1;
    }
    assert_eq!((cell, steps), (shape.index(4, 8), 7));
}

/// A closed lake on a plain that slopes to the west: what rains on its side of the rim stays in it, and no river goes
/// up to the rim.
#[test]
fn water_stays_in_a_sink() {
    let mut map = Array2::from_shape_fn((7, 9), |(_, col)| 20.0 + col as f64);
    map.slice_mut(ndarray::s![2..5, 3..6]).fill(10.0);
    let shape = Shape::from(map.dim());
    let sink = shape.index(2, 3);
    let open = drainage(map.view(), None, &[]).unwrap();
    assert!((open.level(sink) - 22.0).abs() < 1e-12);
    let closed = drainage(map.view(), None, &[sink]).unwrap();
    assert_eq!(closed.to(sink), sink);
    for cell in 0..shape.len() {
        let height = map[shape.position(cell)];
        assert!((closed.level(cell) - height).abs() < 1e-12);
        assert!(height >= map[shape.position(closed.to(cell))]);
    }
    let (basins, mouths) = closed.basins(9);
    let lake = 1 + mouths.iter().position(|mouth| *mouth == sink).unwrap() as u32;
    assert!(
        map.indexed_iter()
            .all(|(at, height)| *height > 10.0 || basins[at] == lake)
    );
    // Cells beyond the map's data are no sinks.
    let valid = map.mapv(|height| height > 10.0);
    let outside = drainage(map.view(), Some(valid.view()), &[sink]).unwrap();
    assert_eq!(outside.cells_above()[(2, 3)], 0);
}
