import { computed } from '@preact/signals'
import { user } from '../base/session.ts'
import type { IconName } from '../ui/icon.tsx'

interface Place {
  to: string
  name: string
  icon: IconName
  /** The key after `g` that opens the page. */
  letter: string
  /** The navigation of narrow screens has room for these four places. The command menu has all. */
  isFirst?: true
}

const everyones: readonly Place[] = [
  { to: '/dashboard', name: 'Overview', icon: 'home', letter: 'o', isFirst: true },
  { to: '/agents', name: 'Agents', icon: 'agent', letter: 'a', isFirst: true },
  { to: '/approvals', name: 'Approvals', icon: 'check', letter: 'v', isFirst: true },
  { to: '/automation', name: 'Automation', icon: 'clock', letter: 's', isFirst: true },
  { to: '/mission-control', name: 'Mission control', icon: 'graph', letter: 'm' },
  { to: '/usage', name: 'Usage', icon: 'chart', letter: 'u' },
  { to: '/keys', name: 'Keys', icon: 'key', letter: 'k' },
  { to: '/billing', name: 'Plan', icon: 'card', letter: 'p' },
  { to: '/account', name: 'Account', icon: 'person', letter: 'c' },
]

const operators: Place = { to: '/operator', name: 'Operator', icon: 'repair', letter: 't' }

/** The pages in the navigation and the command menu. */
export const places = computed(() =>
  user.value?.isAdmin === true ? [...everyones, operators] : everyones,
)
