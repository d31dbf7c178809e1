"""Shared by the tests of scale."""

import pytest
from distributed import Client, LocalCluster


@pytest.fixture(scope="session")
def cluster():
    """Two workers for all tests of a session: starting them takes longer than most tests."""
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster:
        yield cluster


@pytest.fixture(scope="module")
def client(cluster):
    """A client while a module runs, for with one everything goes to the workers."""
    with Client(cluster) as client:
        yield client
