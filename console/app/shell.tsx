import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from '../ui/icon.tsx'
import { path } from './router.ts'
import { user } from './session.ts'
import { theme, themes } from './theme.ts'

const places: readonly { to: string; name: string; icon: IconName }[] = [
  { to: '/dashboard', name: 'Overview', icon: 'home' },
  { to: '/agents', name: 'Agents', icon: 'agent' },
  { to: '/keys', name: 'Keys', icon: 'key' },
  { to: '/billing', name: 'Plan', icon: 'card' },
  { to: '/account', name: 'Account', icon: 'person' },
]

function isHere(to: string): 'page' | undefined {
  return path.value === to || path.value.startsWith(`${to}/`) ? 'page' : undefined
}

/** The navigation beside every screen of a person who is signed in. */
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
          {places.map(({ to, name, icon }) => (
            <li key={to}>
              <a href={to} aria-current={isHere(to)}>
                <Icon name={icon} />
                <span>{name}</span>
              </a>
            </li>
          ))}
        </ul>
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
    </div>
  )
}

/** The frame of screens that stand alone. */
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
      title={`Colours: ${theme.value}`}
      aria-label={`Colours: ${theme.value}. Change to ${next}`}
      onClick={() => {
        theme.value = next
      }}
    >
      <Icon name="theme" />
    </button>
  )
}
