import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** The other ways to sign in, loaded once the form is there: most people need them not. */
export function More({ to }: { to: string }) {
  const [loaded, setLoaded] = useState<{ Content: ComponentType<{ to: string }> }>()
  useEffect(() => {
    import('./other-ways.tsx').then(
      ({ default: Content }) => setLoaded({ Content }),
      // Who has no connection has the form's own fault to read.
      () => undefined,
    )
  }, [])
  return loaded === undefined ? null : <loaded.Content to={to} />
}
