enum PlatformPlaceholder {}
