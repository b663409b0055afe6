"""`feedback check` over items that a client of AWS put into a served data folder and into moto: each kind is found,
with the right number, and DynamoDB accepted all of them.
"""

import hashlib
import json
import unittest
import urllib.request

from stores import moto, served

CREATED = "2026-01-31T08:30:00.000Z"
READ_KEY = "read-key-of-the-project-acme-0000"


def shard(record):
    return f"acme#{hashlib.sha256(record.encode()).hexdigest()[0]}"


def response(record, created=CREATED, shard_key=None, **attributes):
    return {"shard": {"S": shard_key or shard(record)}, "at": {"S": f"{created}#{record}"}} | attributes


def user(name, project="acme", **attributes):
    return {"project": {"S": project}, "userId": {"S": name}, "created": {"S": CREATED}} | attributes


def credential(digit, **attributes):
    return {"digest": {"S": digit * 64}} | attributes


RATED = {"rating": {"N": "9"}}
BINARY = {"M": {"key": {"B": b"a"}}}
# 17 responses that DynamoDB accepts.
PLAIN = [
    response("rated", **RATED),
    response("zero", rating={"N": "0"}),
    response("dismissed", dismissed={"BOOL": True}),
    response("pending", userId={"S": "u1"}, traits={"M": {"plan": {"S": "pro"}}}),
    response("null", rating={"NULL": True}, dismissed={"NULL": True}),
    response("unknown", comment={"S": "ignored"}),
    response("both", dismissed={"BOOL": True}, **RATED),
    response("rating S", rating={"S": "9"}),
    response("rating 11", rating={"N": "11"}),
    response("rating 8.5", rating={"N": "8.5"}),
    response("dismissed S", dismissed={"S": "true"}),
    response("traits S", traits={"S": "{}"}, **RATED),
    response("misplaced", shard_key="acme#0", **RATED),
    response("unread", shard_key="acme#g", **RATED),
    response("unread", shard_key="acme", **RATED),
    response("short", created="2026-01-31T08:30:00Z", **RATED),
    response("never", created="31.01.2026", **RATED),
]
BINARY_ID = response("binary", traits=BINARY, **RATED)
OTHER_KINDS = [response("", **RATED), BINARY_ID, response("userId N", userId={"N": "7"}, **RATED)]
USERS = [
    user("known", lastSeen={"S": CREATED}, email={"S": "a@example.com"}, unsubscribed={"BOOL": True}),
    user("project", project="a.b"),
    user("id", id={"N": "1"}),
    user("created", created={"N": "1769848200"}),
    user("created 2", created={"S": "long ago"}),
    user("lastSeen", lastSeen={"S": ""}),
    user("form", lastSeen={"S": "2026-01-31"}),
    user("email", email={"SS": ["a@example.com"]}),
    user("unsubscribed", unsubscribed={"N": "1"}),
    user("traits", traits={"L": []}),
    user("no created", created={"NULL": True}),
]
READS_ACME = {"projects": {"SS": ["acme"]}, "may": {"SS": ["statistics"]}}
CREDENTIALS = [
    {"digest": {"S": hashlib.sha256(READ_KEY.encode()).hexdigest()}} | READS_ACME,
    credential("A", **READS_ACME),
    credential("b", projects={"SS": ["acme"]}, may={"SS": ["admin"]}),
    credential("c", projects={"L": [{"S": "acme"}]}, may={"SS": ["users"]}),
]
FOUND = """\
responses: 20 checked
        1  a binary trait: in no filter, until exported as a text
        1  a dismissed that is no BOOL: not counted
        3  a rating that is no whole N from 0 to 10: not counted
        2  a shard that nothing reads: not counted
        1  a userId that is no string: counted as nobody's
        1  an instant in another form: doubled by export and import
        1  no id of 1 to 999 bytes: counted, but not exported
        1  no instant: in hardly any period, and not exported
        1  not the shard of its id: counted, and doubled by an import
        1  note: a rating, and dismissed: counts as rated
        1  traits that are no map: counted without traits
users: 11 checked
        2  a created that is no instant: served as 1970-01-01
        1  a lastSeen that is no instant: served without it
        1  a project that is no project's id: in no list
        1  an email or name that is no string: served without it
        1  an id that is no string: served with a derived one
        1  an instant in another form: served, but compared wrongly
        1  an unsubscribed that is no BOOL: served as false
        1  note: no created: served as 1970-01-01
        1  traits that are no map: served as {}
credentials: 4 checked
        1  a key that is no digest: no secret matches it
        2  no valid projects, may and username: authorizes nothing
"""


def put(store, table, items):
    for item in items:
        store.client().put_item(TableName=table, Item=item)


def figures(store):
    """Returns the figures of the year, and how many records they skip."""
    address = f"{store.api}/api/v2/response-statistics?project=acme&startDate=2026-01-01&endDate=2027-01-01"
    request = urllib.request.Request(address, headers={"AuthKey": READ_KEY})
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)["data"][0]["attributes"], response.headers["X-Skipped-Records"]


class Check(unittest.TestCase):
    maxDiff = None

    def test_each_kind_is_found_with_its_number_in_both_stores(self):
        for start in (served, moto):
            with self.subTest(start.__name__), start() as store:
                put(store, "responses", PLAIN + OTHER_KINDS)
                put(store, "users", USERS)
                put(store, "credentials", CREDENTIALS)
                self.assertEqual(store.feedback("check", code=2), FOUND)
                found = json.loads(store.feedback("check --json", code=2))
                unread = found["responses"]["found"]["a shard that nothing reads: not counted"]
                self.assertEqual((unread["items"], len(unread["examples"])), (2, 2))
                of_project = store.feedback("check --project acme", code=2)
                # Requests query neither the other shards nor another project.
                self.assertIn("responses: 18 checked\n", of_project)
                self.assertIn("users: 10 checked\n", of_project)

    def test_the_figures_leave_out_what_is_found_to_be_left_out(self):
        with served() as store:
            put(store, "credentials", CREDENTIALS[:1])
            put(store, "responses", PLAIN)
            counted, skipped = figures(store)
            # Of 17, four are skipped, two are in shards that nothing reads, and one is in no period.
            self.assertEqual((counted["displays"], skipped), (10, "4"))
            self.assertEqual((counted["responses"], counted["dismissed"]), (6, 1))
