import { useEffect } from 'preact/hooks'
import { Head } from './parts.tsx'

/** The suffix of every page's title. */
export const brand = 'Agent Platform'

/** The page for unknown paths. */
export function NotFound() {
  useEffect(() => {
    document.title = `Not found · ${brand}`
  }, [])
  return (
    <>
      <Head title="Not found" lead="This page does not exist, or you do not have access to it." />
      <p>
        <a class="button" href="/">
          Go to the overview
        </a>
      </p>
    </>
  )
}
