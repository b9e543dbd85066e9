"""A private desktop for the tools: a bus, a PipeWire, a microphone, a daemon of their own."""
