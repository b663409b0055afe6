//! The largest record, which is the same wherever the tables are.

use items::{MAX_SIZE, item_size};

use crate::outcome::{counts, failed, imported};
use crate::place::Place;

/// A record with a trait of this many bytes.
fn record(id: char, padding: usize) -> String {
    let padding = "x".repeat(padding);
    format!(
        r#"{{"id":"{id}","created":"2020-01-01","rating":9,"user":{{"traits":{{"t":"{padding}"}}}}}}"#
    )
}

/// Returns the size of the item of a record whose trait is empty.
fn size_without_padding(place: &Place) -> usize {
    place.file("empty.ndjson", record('0', 0));
    let import = "import responses empty.ndjson --project demo --data empty";
    imported(&place.run(import));
    let database = rusqlite::Connection::open(place.path("empty/tables.sqlite")).unwrap();
    let sql = "SELECT item_json FROM responses";
    let json: String = database.query_row(sql, [], |row| row.get(0)).unwrap();
    item_size(&json).unwrap()
}

#[test]
fn the_largest_record_is_imported_and_one_byte_more_rejected_in_a_folder_and_through_serve() {
    let place = Place::new();
    let largest = MAX_SIZE - size_without_padding(&place);
    let records = [
        record('1', largest),
        record('2', largest + 1),
        record('3', largest + 1000),
        record('4', 0),
    ];
    place.file("records.ndjson", records.join("\n"));
    let import = |data: &str| {
        let import = "import responses records.ndjson --project demo --data";
        let output = place.run(&format!("{import} {data}"));
        let errors = failed(&output, 2);
        for line in [2, 3] {
            let reason =
                format!("records.ndjson:{line}: the record must not be larger than 399 KB");
            assert!(errors.contains(&reason), "{data}: {errors}");
        }
        let expected = "responses: 2 written, 0 unchanged, 2 rejected\n";
        assert_eq!(counts(&output), expected, "{data}");
    };
    import("alone");
    let served = place.serve();
    import("data");
    served.end();
    let exported = ["alone", "data"].map(|data| place.export("responses", data));
    assert!(exported[0] == exported[1]);
    assert_eq!(exported[0].len(), 2);
}
