"""The page behind a proxy that puts a path in front of it."""

import copy
import http.client
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from playwright.sync_api import expect

from support import DEMO, Case, demo


class Prefix(Case):
    def setUp(self):
        service = demo().url.removeprefix("http://")

        class Proxy(BaseHTTPRequestHandler):
            """Removes `/nps`, and knows no other path; nginx does so for `location /nps/`."""

            def do_GET(self):
                path = self.path.removeprefix("/nps") if self.path.startswith("/nps/") else "/nowhere"
                connection = http.client.HTTPConnection(service)
                connection.request("GET", path, headers=dict(self.headers))
                response = connection.getresponse()
                self.send_response(response.status)
                for name, value in response.getheaders():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(response.read())

            def log_message(self, *_):
                pass

        proxy = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
        threading.Thread(target=proxy.serve_forever, args=[0.01], daemon=True).start()
        self.addCleanup(proxy.shutdown)
        # Whatever a page requests elsewhere is foreign.
        self.behind = copy.copy(demo())
        self.behind.url = f"http://127.0.0.1:{proxy.server_port}/nps"

    def test_the_page_stays_below_the_path(self):
        page = self.shown(DEMO, self.behind)
        expect(page.locator("#trend .over")).to_be_visible()
        self.assertEqual(page.url.partition("?")[0], f"{self.behind.url}/")
