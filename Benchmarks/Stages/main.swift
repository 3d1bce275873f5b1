/// Times single stages of opening a vault, for `scripts/bench`: one JSON object a run.
StageTimer.main()
