"""Bench: who is best? SA Bench and its leaderboard. This module re-exports pure names only."""
