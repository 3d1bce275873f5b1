enum FusePlaceholder {}
