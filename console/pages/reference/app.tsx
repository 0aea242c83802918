import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { theme } from '../../base/theme.ts'
import { Icon } from '../../ui/icon.tsx'
import { operationOf, reference } from './data.ts'
import { Navigation } from './navigation.tsx'
import { OperationView } from './operation.tsx'
import { Overview } from './overview.tsx'
import { place } from './place.ts'
import { SchemaPage } from './schema-page.tsx'
import { signedIn, signInPath } from './session.ts'

/** The page: the list of operations, and the one in the URL. */
export function App() {
  const [isOpen, setIsOpen] = useState(false)
  const at = place.value
  useEffect(() => setIsOpen(false), [at])
  return (
    <div class="reference">
      <button type="button" class="skip" onClick={() => document.querySelector('h1')?.focus()}>
        Skip to the content
      </button>
      <header class="bar">
        <a class="brand" href="#overview">
          <Icon name="mark" />
          API reference
        </a>
        <span class="bar-end">
          <Session />
          <ThemeButton />
        </span>
      </header>
      <Navigation isOpen={isOpen} onOpen={setIsOpen} />
      <main class="shown">
        <Shown at={at} />
      </main>
    </div>
  )
}

function Shown({ at }: { at: string }) {
  const isFirst = useRef(true)
  // Moves the focus together with the content. Later, it could take the focus from what the user has reached by then.
  useLayoutEffect(() => {
    if (!isFirst.current) {
      scrollTo(0, 0)
      document.querySelector('h1')?.focus({ preventScroll: true })
    }
    isFirst.current = false
  }, [at])
  const operation = operationOf(at)
  const schema = /^schema-(.+)$/.exec(at)?.[1]
  const title = operation?.summary.replaceAll('`', '') ?? schema
  useEffect(() => {
    document.title = title === undefined ? 'API reference' : `${title} · API reference`
  }, [title])
  if (operation !== undefined) return <OperationView key={at} operation={operation} />
  if (schema !== undefined && Object.hasOwn(reference.schemas, schema))
    return <SchemaPage key={at} name={schema} />
  return <Overview missing={!/^(?:|overview|tag-.*)$/.test(at)} />
}

/** Shows the signed-in user, whose session requests are sent with. */
function Session() {
  const name = signedIn.value
  if (name === undefined) return null
  if (name === null) return <a href={signInPath()}>Sign in</a>
  return (
    <a class="who" href="/dashboard" title={name}>
      {name}
    </a>
  )
}

function ThemeButton() {
  const isDark =
    theme.value === 'dark' ||
    (theme.value === 'system' && matchMedia('(prefers-color-scheme: dark)').matches)
  return (
    <button
      type="button"
      class="button small quiet"
      onClick={() => {
        theme.value = isDark ? 'light' : 'dark'
      }}
    >
      <Icon name="theme" />
      <span class="visually-hidden">{isDark ? 'Light theme' : 'Dark theme'}</span>
    </button>
  )
}
