use super::*;

fn rules(kind: Kind, map: &[&str]) -> Rules {
    Rules {
        map: map.iter().map(|text| text.parse().unwrap()).collect(),
        ..Rules::new(kind, "acme".parse().unwrap())
    }
}

fn options(map: &[&str]) -> Rules {
    rules(Kind::Responses, map)
}

fn strings(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|&cell| cell.to_owned()).collect()
}

/// Returns the record of a row of responses, or the reason why there is none.
fn record(header: &[&str], row: &[&str], options: &Rules) -> Result<String, String> {
    let header = strings(header);
    let columns = Columns::from_header(&header, options);
    let (columns, _) = columns.map_err(|error| error.to_string())?;
    columns.record(&strings(row))
}

#[test]
fn a_cell_of_a_trait_is_a_number_or_boolean_only_in_canonical_form() {
    let mut options = options(&[]);
    let of_trait = |cell: &str, options: &Rules| {
        let header = ["created", "rating", "traits.t"];
        record(&header, &["c", "9", cell], options).unwrap()
    };
    for cell in ["7", "-1.5", "0", "true", "false"] {
        let record = of_trait(cell, &options);
        assert!(record.contains(&format!(r#"{{"t":{cell}}}"#)), "{record}");
    }
    for cell in ["01234", "1.50", "1e3", "+1", "True", "null", "=1+1", " 7"] {
        let record = of_trait(cell, &options);
        assert!(record.contains(&format!(r#"{{"t":"{cell}"}}"#)), "{record}");
    }
    options.traits = TraitCells::Strings;
    let record = of_trait("7", &options);
    assert!(record.contains(r#"{"t":"7"}"#), "{record}");
}

#[test]
fn the_members_of_a_user_are_in_it_and_empty_cells_are_absent() {
    let header = [
        "created",
        "rating",
        "userId",
        "name",
        "traits.plan",
        "other",
    ];
    let row = ["2020-01-01", "9", "007", "", "pro", "ignored"];
    assert_eq!(
        record(&header, &row, &options(&[])).unwrap(),
        r#"{"created":"2020-01-01","rating":"9","user":{"traits":{"plan":"pro"},"userId":"007"}}"#
    );
}

#[test]
fn a_mapped_field_is_not_read_from_the_column_of_its_name() {
    let options = options(&["rating=Your score"]);
    let header = ["created", "rating", "Your score"];
    assert_eq!(
        record(&header, &["c", "1", "9"], &options).unwrap(),
        r#"{"created":"c","rating":"9"}"#
    );
}

#[test]
fn a_table_that_does_not_fit_is_refused_with_the_reason() {
    for (map, header, reason) in [
        (&[][..], &["created"][..], "there is no column rating"),
        (
            &["rating=Score"],
            &["created", "rating"],
            "there is no column \"Score\"",
        ),
        (
            &[],
            &["created", "rating", "rating"],
            "two columns map to the same field",
        ),
    ] {
        let error = record(header, &[], &options(map)).unwrap_err();
        assert!(error.contains(reason), "{error}");
    }
    let error = record(&["created", "rating"], &["c"], &options(&[])).unwrap_err();
    assert_eq!(error, "it has 1 cells where the header has 2");
}

#[test]
fn a_mapping_has_two_sides_and_names_a_field_once() {
    for text in ["rating", "=Score", "rating="] {
        assert!(text.parse::<Mapping>().is_err(), "{text}");
    }
    for map in [["rating=A", "rating=B"], ["score=A", "created=B"]] {
        assert!(options(&map).check().is_err(), "{map:?}");
    }
    let map = ["rating=A", "traits.plan=B"];
    assert!(options(&map).check().is_ok());
}

#[test]
fn cells_look_like_a_row_if_the_one_that_dates_it_is_a_date() {
    let decisive = |kind, header: &[&str], cells: &[&str]| {
        let (rules, header) = (rules(kind, &[]), strings(header));
        let (columns, _) = Columns::from_header(&header, &rules).unwrap();
        columns.decisive_cell(&strings(cells))
    };
    let responses = ["rating", "created", "userId"];
    let users = ["name", "userId"];
    for (kind, header, cells, expected) in [
        (
            Kind::Responses,
            &responses[..],
            &["", "2020-01-01", ""][..],
            Some(1),
        ),
        (Kind::Responses, &responses, &["9", "soon", "007"], None),
        (Kind::Responses, &responses, &["9", "2020-01-01"], None),
        (Kind::Users, &users, &["", "007"], Some(1)),
        (Kind::Users, &users, &["James", ""], None),
    ] {
        assert_eq!(decisive(kind, header, cells), expected, "{cells:?}");
    }
}
