import type { ComponentChildren, ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { takeApprovals } from '../base/approvals.ts'
import { decisions } from '../base/decisions.ts'
import { path } from '../base/router.ts'
import { user } from '../base/session.ts'
import { theme, themes } from '../base/theme.ts'
import { Icon } from '../ui/icon.tsx'
import { useLoad } from '../ui/load.ts'
import { places } from './places.ts'
import { menu } from './shortcuts.ts'

function isHere(to: string): 'page' | undefined {
  return path.value === to || path.value.startsWith(`${to}/`) ? 'page' : undefined
}

/** The frame of signed-in pages, with the navigation. */
export function Shell({ children }: { children: ComponentChildren }) {
  return (
    <div class="shell">
      <a class="skip" href="#content">
        Skip to content
      </a>
      <nav class="rail" aria-label="Main">
        <a class="brand" href="/dashboard" aria-label="Agent Platform, overview">
          <Icon name="mark" />
          <span>Agent Platform</span>
        </a>
        <ul>
          {places.value.map(({ to, name, icon, isFirst = false }) => (
            <li key={to} data-first={isFirst}>
              <a href={to} aria-current={isHere(to)}>
                <Icon name={icon} />
                <span>{name}</span>
                {icon === 'check' && <Pending />}
              </a>
            </li>
          ))}
        </ul>
        <button
          type="button"
          class="button quiet small rail-menu"
          aria-keyshortcuts="Control+K Meta+K"
          onClick={() => {
            menu.value = true
          }}
        >
          <Icon name="search" />
          <span class="go-to">Go to</span>
          <span class="more">More</span>
          <kbd>{/Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K'}</kbd>
        </button>
        <div class="rail-end">
          <p class="who" title={user.value?.email}>
            {user.value?.name}
          </p>
          <ThemeButton />
        </div>
      </nav>
      <main id="content" class="content">
        {children}
      </main>
      {menu.value && <Menu />}
    </div>
  )
}

/** The requests of the page itself are sent first. */
const afterPage = new Promise((resolve) => setTimeout(resolve, 1000))

/** The number of pending approvals. */
function Pending() {
  const { data, reload } = useLoad(
    'pending',
    async (signal) => {
      await afterPage
      return takeApprovals({ state: 'pending' }, 100, signal)
    },
    () => 15_000,
  )
  const { value: decided } = decisions
  useEffect(() => {
    if (decided > 0) reload()
  }, [decided, reload])
  if (!data?.length) return null
  return (
    <b>
      {data.length}
      <span class="visually-hidden"> pending</span>
    </b>
  )
}

/** The command menu, loaded when it is first opened. */
function Menu() {
  const [loaded, setLoaded] = useState<{ Content: ComponentType }>()
  useEffect(() => {
    import('./command-menu.tsx').then(
      ({ default: Content }) => setLoaded({ Content }),
      () => {
        // The navigation has the same pages. Offline, the user can press the key again.
        menu.value = false
      },
    )
  }, [])
  return loaded === undefined ? null : <loaded.Content />
}

/** The frame of pages without the navigation. */
export function Bare({ children }: { children: ComponentChildren }) {
  return (
    <main id="content" class="bare">
      <a class="brand" href="/" aria-label="Agent Platform, home">
        <Icon name="mark" />
        <span>Agent Platform</span>
      </a>
      {children}
    </main>
  )
}

function ThemeButton() {
  const next = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? 'system'
  return (
    <button
      type="button"
      class="button quiet small"
      title={`Theme: ${theme.value}`}
      aria-label={`Theme: ${theme.value}. Change to ${next}`}
      onClick={() => {
        theme.value = next
      }}
    >
      <Icon name="theme" />
    </button>
  )
}
