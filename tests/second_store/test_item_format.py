"""What docs/item-format.md shows is what commands write and read."""

import re
import sys
import unittest

from stores import FEEDBACK, ROOT, served

PAGE = (ROOT / "docs/item-format.md").read_text()


def block(language):
    [text] = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return text


class ItemFormat(unittest.TestCase):
    def test_the_commands_of_the_page_write_a_rating_in_which_nothing_is_found(self):
        with served() as store:
            replaced = {
                "http://127.0.0.1:8000": store.settings["AWS_ENDPOINT_URL_DYNAMODB"],
                "pip install boto3\n": "",
                "python3 examples/": f"{sys.executable} {ROOT}/examples/",
                "\nfeedback ": f"\n{FEEDBACK} ",
            }
            commands = block("sh")
            for shown, here in replaced.items():
                self.assertEqual(commands.count(shown), 1, shown)
                commands = commands.replace(shown, here)
            result = store.run("bash", "-euc", commands)
            self.assertEqual(result.stdout, "responses: 1 checked\nusers: 1 checked\ncredentials: 0 checked\n", result)
            self.assertIn('"rating":9', store.feedback("export responses --project acme"))

    def test_the_shards_of_the_page_are_those_of_their_ids(self):
        pairs = re.findall(r"`([^`]+)` →\s`(acme#.)`", PAGE)
        self.assertEqual(len(pairs), 5)
        with served() as store:
            for record, shard in pairs:
                key = {"shard": {"S": shard}, "at": {"S": f"2026-01-31T08:30:00.000Z#{record}"}}
                store.client().put_item(TableName="responses", Item=key)
            found = store.feedback("check --project acme")
            self.assertEqual(found, "responses: 5 checked\nusers: 0 checked\n")
