# The software device.
