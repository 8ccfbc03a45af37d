"""Uses the league's channel as a socket, to be given a way out by it."""

import os
import socket

EXPECT = "contained"

ATTEMPTS = (
    lambda: socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, fileno=3).send(b"x"),
    lambda: socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, fileno=os.dup(3)).connect("\0league"),
    lambda: socket.send_fds(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, fileno=os.dup(3)), [b"x"], [0]),
)
