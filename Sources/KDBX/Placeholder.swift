enum KDBXPlaceholder {}
