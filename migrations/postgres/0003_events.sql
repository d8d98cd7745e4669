-- Which node does a recurring chore. The epoch grows with each holder and fences off earlier ones.
CREATE TABLE chore_leases (
  name TEXT COLLATE "C" PRIMARY KEY,
  holder TEXT NOT NULL,
  until BIGINT NOT NULL,
  epoch BIGINT NOT NULL
);
