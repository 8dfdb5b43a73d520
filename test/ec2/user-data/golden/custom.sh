#!/bin/bash
sysctl -w net.core.somaxconn=4096
