// Looks again from time to time while something shown is still going on.
import { useEffect, useRef } from "react";

export function Every({ seconds, active, onTick }) {
  const tick = useRef();
  tick.current = onTick;
  useEffect(() => {
    if (!active) return undefined;
    const timer = setInterval(() => document.visibilityState === "visible" && tick.current?.(), seconds * 1000);
    return () => clearInterval(timer);
  }, [seconds, active]);
  return null;
}
