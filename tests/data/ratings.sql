CREATE TABLE ratings (id INTEGER PRIMARY KEY, customer_id TEXT, answered_at TEXT, score INTEGER, comment TEXT);
CREATE TABLE customers (id TEXT PRIMARY KEY, email TEXT, plan TEXT);
INSERT INTO customers VALUES
  ('10', 'anna@example.com', 'pro'), ('11', 'ben@example.com', 'free'), ('12', 'chen@example.com', 'pro');
INSERT INTO ratings VALUES
  (1, '10', '2026-03-02 09:30:00', 9, 'Says "thanks", twice'), (2, '11', '2026-03-03 17:38:50', 4, NULL),
  (3, '12', '2026-03-04 08:00:00', NULL, NULL), (4, '10', '2026-04-02 09:31:00', 10, NULL);
