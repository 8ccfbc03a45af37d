"""Opens sockets of every kind."""

import socket

EXPECT = "contained"

ATTEMPTS = (
    lambda: socket.create_connection(("127.0.0.1", 9), timeout=1),
    lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM),
    lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
    lambda: socket.socket(socket.AF_INET6, socket.SOCK_STREAM),
    lambda: socket.socket(socket.AF_UNIX, socket.SOCK_STREAM),
    lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW),
    lambda: socket.socketpair(),
    lambda: socket.getaddrinfo("localhost", 80),
)
