"""What every stream needs: times, the clock, half-lives, quantile sketches, reservoir samples."""
