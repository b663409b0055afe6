//! `feedback serve` with an address or a data folder that it cannot use.

use std::net::TcpListener;

use crate::outcome::only_line;
use crate::place::Place;
use crate::process::SERVE;

#[test]
fn an_unusable_address_is_reported_in_one_line_with_its_option() {
    const FREE: &str = "127.0.0.1:0";
    let listener = TcpListener::bind(FREE).unwrap();
    let taken = listener.local_addr().unwrap().to_string();
    let place = Place::new();
    let serve = |listen: &str, dynamodb_listen: &str| {
        let addresses = format!("--listen {listen} --dynamodb-listen {dynamodb_listen}");
        only_line(&place.run(&format!("serve {addresses} --data data")))
    };
    for (line, option) in [
        (serve(&taken, FREE), "--listen"),
        (serve(FREE, &taken), "--dynamodb-listen"),
    ] {
        assert_eq!(
            line,
            format!(
                "feedback: cannot listen on {taken} ({option}): Address already in use; {option} 127.0.0.1:0 takes a free port\n"
            )
        );
    }
    let line = serve("nowhere.invalid:1", FREE);
    let beginning = "feedback: cannot listen on nowhere.invalid:1 (--listen): ";
    assert!(line.starts_with(beginning), "{line}");
    for wrong in [
        ":3000",
        "http://127.0.0.1:3000",
        "localhost",
        "127.0.0.1:70000",
    ] {
        let wanted =
            "--listen must be an address and a port, such as 127.0.0.1:3000, or a port alone";
        assert_eq!(serve(wrong, FREE), format!("feedback: {wanted}\n"));
    }
    assert!(!place.data().exists());
}

#[test]
fn an_unusable_data_folder_is_reported_in_one_line() {
    let place = Place::new();
    place.file("file", "");
    std::fs::create_dir(place.path("damaged")).unwrap();
    let content = "this is no database, but long enough to be read as one".repeat(100);
    place.file("damaged/tables.sqlite", &content);
    let _served = place.serve();
    let damaged = place.path("damaged/tables.sqlite");
    for (folder, beginning) in [
        ("file", "cannot use the data folder file: "),
        ("damaged", &format!("cannot open {}: ", damaged.display())),
        ("data", "the data folder data is being served\n"),
    ] {
        let line = only_line(&place.run(&format!("{SERVE} --data {folder}")));
        assert!(
            line.starts_with(&format!("feedback: {beginning}")),
            "{line}"
        );
    }
    assert_eq!(place.read("damaged/tables.sqlite"), content);
}
