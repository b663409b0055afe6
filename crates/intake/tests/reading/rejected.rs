//! The texts of rejected records can be corrected and imported.

use crate::import::{import, import_files};

#[test]
fn a_corrected_record_without_an_id_is_a_record_of_its_own() {
    for (options, all, rejects, corrections) in [
        (
            "responses",
            "created,rating,traits.note\n2020-01-01,12,\"two\nlines\"\n2020-01-02,9,fine\n2020-01-03,1",
            "id,created,rating,traits.note\nID,2020-01-01,12,\"two\nlines\"\nID,2020-01-03,1",
            [(",12,", ",10,"), ("03,1", "03,1,\n")],
        ),
        (
            "responses",
            "created,rating\n2020-01-01,9\n2020-01-01,99\n2020-01-01,99\n",
            "id,created,rating\nID,2020-01-01,99\nID,2020-01-01,99\n",
            [(",99", ",9"), ("\t", "")],
        ),
        (
            "responses --map id=Number",
            "rating\tcreated\tNumber\n9\t2020-01-01\t\n99\t2020-01-01\t\n99\t2020-01-01\t\"\"\n",
            "rating\tcreated\tNumber\n99\t2020-01-01\tID\n99\t2020-01-01\t\"ID\"\n",
            [("99\t", "9\t"), ("\r", "")],
        ),
        (
            "responses",
            "{\"created\":\"2020-01-01\",\"rating\":9}\n{\"created\":\"2020-01-01\",\"rating\":99}\n\
             {\"rating\":99,\"id\": null,\"created\":\"2020-01-01\"}\n{\"rating\":9}\n",
            "{\"id\":\"ID\",\"created\":\"2020-01-01\",\"rating\":99}\n\
             {\"rating\":99,\"id\": \"ID\",\"created\":\"2020-01-01\"}\n{\"id\":\"ID\",\"rating\":9}\n",
            [
                ("g\":9}", "g\":9,\"created\":\"2020-01-01\"}"),
                (":99", ":9"),
            ],
        ),
        (
            "responses",
            "created,rating,traits.a,id\r\n2020-01-01,9,,\r\n2020-01-01,99\r\n",
            "created,rating,traits.a,id\n2020-01-01,99,,ID\n",
            [("99", "9"), ("\t", "")],
        ),
        (
            "responses",
            "{\"created\":\"2020-01-01\",\"rating\":9}\n{\"created\":\"2020-01-01\",\"rating\":9,\"rating\":9}\n\
             {\"id\":null,\"created\":\"2020-01-01\",\"rating\":9,\"rating\":9}\n",
            "{\"id\":\"ID\",\"created\":\"2020-01-01\",\"rating\":9,\"rating\":9}\n\
             {\"id\":\"ID\",\"created\":\"2020-01-01\",\"rating\":9,\"rating\":9}\n",
            [(",\"rating\":9,", ","), ("\t", "")],
        ),
        // An empty last column of the header is kept.
        (
            "responses",
            "id\tcreated\trating\t\r\nr0\t2020-01-01\t9\tx\r\nr1\t2020-01-01\t99\tx\r\n",
            "id\tcreated\trating\t\nr1\t2020-01-01\t99\tx\n",
            [("99", "9"), ("\n\n", "")],
        ),
    ] {
        let imported = import(options, all);
        assert_eq!(imported.rejected(), rejects);
        let mut rejected = String::from_utf8(imported.rejected.clone()).unwrap();
        for (wrong, right) in corrections {
            rejected = rejected.replace(wrong, right);
        }
        let corrected = import(options, &rejected).whole();
        let count = imported.rejects.len();
        assert_eq!(corrected.responses.len(), count, "{rejected}");
        let both = [("all", all.as_bytes()), ("corrected", rejected.as_bytes())];
        let displays = import_files(options, &both).displays();
        assert_eq!(displays, 1 + count, "{rejected}");
    }
}

#[test]
fn a_record_that_cannot_or_need_not_get_an_id_is_kept_unchanged() {
    #[rustfmt::skip]
    let rows = [
        // It has an id, and a name twice.
        (
            "responses",
            "{\"id\":\"r1\",\"created\":\"2020-01-01\",\"rating\":9,\"rating\":9}\n\
             {\"id\":\"r2\",\"id\":null,\"created\":\"2020-01-01\",\"rating\":9}\n",
        ),
        // The corrected values decide.
        ("responses --id-from Visitor", "created,rating,Visitor\n2020-01-01,99,v1\n"),
        ("responses --id-from Visitor", "{\"created\":\"2020-01-01\",\"rating\":99,\"Visitor\":\"v2\"}\n"),
        // Another column is called `id`.
        ("responses --map userId=id", "id,created,rating\nu1,2020-01-01,99\n"),
    ];
    for (options, text) in rows {
        assert_eq!(
            String::from_utf8(import(options, text).rejected).unwrap(),
            text
        );
    }
    let corrected = "created,rating,Visitor\n2020-01-01,9,v1\n";
    let twice = [("all", corrected.as_bytes()), ("bad", corrected.as_bytes())];
    let imported = import_files("responses --id-from Visitor", &twice).whole();
    assert_eq!(imported.displays(), 1);
}

#[test]
fn a_row_that_cannot_be_told_is_kept_unchanged() {
    let table: &[u8] =
        b"created,rating,traits.a\n2020-01-01,99,\xc3\xab\xc3\xab\n2020-01-01,9,\xff\n2020-01-02,9,x,y\n";
    let imported = import("responses", table);
    assert_eq!(imported.rejects.len(), 3, "{:?}", imported.rejects);
    assert!(imported.rejects[1].ends_with("its \"traits.a\" is not UTF-8"));
    let is_kept = |row: &[u8]| imported.rejected.windows(row.len()).any(|part| part == row);
    assert!(is_kept(b",2020-01-01,9,\xff\n") && is_kept(b"2020-01-02,9,x,y\n"));
    // In a cell that is not read, it changes nothing.
    let unread = table
        .strip_suffix(b"2020-01-02,9,x,y\n")
        .unwrap()
        .to_owned();
    let unread = [b"created,rating,Comment\n", unread.split_at(24).1].concat();
    let imported = import("responses", unread);
    assert_eq!((imported.rejects.len(), imported.responses.len()), (1, 1));
}
