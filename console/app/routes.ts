import type { ComponentType } from 'preact'
import { tabs } from '../screens/agent/tabs.ts'

export interface Route {
  /** `/agents/:id/:tab`; a part that begins with a colon stands for any one. */
  pattern: string
  title: string
  /** `signed-in` leads everyone else to the sign-in page, `signed-out` those who are signed in onwards. */
  for: 'signed-in' | 'signed-out' | 'anyone'
  /** Whether the navigation stands beside it. */
  bare?: boolean
  load(): Promise<{ default: ComponentType<Parameters> }>
  /** The file of a part that is shown with it. */
  loadPart?(parameters: Parameters): Promise<unknown> | undefined
  /** Paths of what it asks first, together with the address's query. */
  first?(parameters: Parameters, query: URLSearchParams): string[]
}

/** What the parts of a pattern stand for. */
export type Parameters = Record<string, string>

/** One file, because each page links to the other. */
const entrance = () => import('../screens/sign-in/entrance.ts')

/** One file, because both pages list the agents. */
const overview = () => import('../screens/dashboard/overview.ts')

/** One function for all of its tabs, so that moving between them keeps the page. */
const agent = () => import('../screens/agent/agent.tsx')

const tabOf = ({ tab = '' }: Parameters) => tabs.find(({ slug }) => slug === tab)

const ofAgent: Pick<Route, 'title' | 'for' | 'load' | 'loadPart' | 'first'> = {
  title: 'Agent',
  for: 'signed-in',
  load: agent,
  loadPart: (parameters) => tabOf(parameters)?.load?.(),
  first(parameters, query) {
    const { id = '' } = parameters
    // What a query asks for beside the first, as a conversation of a topic does, is asked for when it is shown.
    const asked = query.size === 0 ? tabOf(parameters)?.first(id) : undefined
    return [`/api/agents/${id}`, ...(asked ?? [])]
  },
}

/** One function for both of its tabs. */
const operator = () => import('../screens/operator/operator.tsx')

/** Every screen; each is loaded when it is first shown. */
export const routes: readonly Route[] = [
  {
    pattern: '/login',
    title: 'Sign in',
    for: 'signed-out',
    load: () => entrance().then(({ SignIn }) => ({ default: SignIn })),
  },
  {
    pattern: '/register',
    title: 'Create your account',
    for: 'signed-out',
    load: () => entrance().then(({ Register }) => ({ default: Register })),
  },
  {
    pattern: '/forgot-password',
    title: 'Reset your password',
    for: 'anyone',
    bare: true,
    load: () => import('../screens/sign-in/forgot-password.tsx'),
  },
  {
    pattern: '/reset-password',
    title: 'Choose a new password',
    for: 'anyone',
    bare: true,
    load: () => import('../screens/sign-in/reset-password.tsx'),
  },
  {
    pattern: '/verify-email',
    title: 'Verify your email',
    for: 'anyone',
    bare: true,
    load: () => import('../screens/sign-in/verify-email.tsx'),
  },
  {
    pattern: '/welcome',
    title: 'Welcome',
    for: 'signed-in',
    bare: true,
    load: () => import('../screens/welcome/welcome.tsx'),
    first: () => ['/api/billing', '/api/agents'],
  },
  {
    pattern: '/dashboard',
    title: 'Overview',
    for: 'signed-in',
    load: () => overview().then(({ Dashboard }) => ({ default: Dashboard })),
    first: () => ['/api/agents', '/api/billing', '/api/mission-control/fleet/costs'],
  },
  {
    pattern: '/agents',
    title: 'Agents',
    for: 'signed-in',
    load: () => overview().then(({ Agents }) => ({ default: Agents })),
    first: () => ['/api/agents'],
  },
  {
    pattern: '/agents/new',
    title: 'New agent',
    for: 'signed-in',
    load: () => import('../screens/agents/new-agent.tsx'),
    first: () => ['/api/billing', '/api/models'],
  },
  { pattern: '/agents/:id', ...ofAgent },
  { pattern: '/agents/:id/:tab', ...ofAgent },
  {
    pattern: '/automation',
    title: 'Automation',
    for: 'signed-in',
    load: () => import('../screens/automation/automation.tsx'),
    first: () => ['/api/agents', '/api/runs?state=active', '/api/scheduled-tasks', '/api/swarms'],
  },
  {
    pattern: '/mission-control',
    title: 'Mission control',
    for: 'signed-in',
    load: () => import('../screens/mission-control/mission-control.tsx'),
    first: () => [
      '/api/mission-control/fleet/graph',
      '/api/mission-control/fleet/traces',
      '/api/swarms',
      '/api/colony/status?action=tree',
    ],
  },
  {
    pattern: '/usage',
    title: 'Usage and cost',
    for: 'signed-in',
    load: () => import('../screens/usage/usage.tsx'),
    first: () => ['/api/usage/breakdown?days=31', '/api/settings'],
  },
  {
    pattern: '/keys',
    title: 'Keys',
    for: 'signed-in',
    load: () => import('../screens/keys/keys.tsx'),
    first: () => [
      '/api/keys',
      '/api/webhook-endpoints',
      '/api/settings/telemetry',
      '/.well-known/oauth-authorization-server',
    ],
  },
  {
    pattern: '/device',
    title: 'Connect a device',
    for: 'signed-in',
    bare: true,
    load: () => import('../screens/connect/device.tsx'),
  },
  {
    pattern: '/connect',
    title: 'Connect a program',
    for: 'signed-in',
    load: () => import('../screens/connect/connect.tsx'),
  },
  { pattern: '/operator', title: 'Operator', for: 'signed-in', load: operator },
  { pattern: '/operator/fleet', title: 'Fleet · Operator', for: 'signed-in', load: operator },
  { pattern: '/operator/platform', title: 'Platform · Operator', for: 'signed-in', load: operator },
  {
    pattern: '/billing',
    title: 'Plan and billing',
    for: 'signed-in',
    load: () => import('../screens/billing/billing.tsx'),
    first: () => ['/api/billing'],
  },
  {
    pattern: '/account',
    title: 'Account',
    for: 'signed-in',
    load: () => import('../screens/account/account.tsx'),
    first: () => ['/api/settings', '/api/auth/sessions'],
  },
]

/** The route of a path with what its parts stand for. */
export function match(path: string): { route: Route; parameters: Parameters } | undefined {
  const parts = path.split('/')
  for (const route of routes) {
    const pattern = route.pattern.split('/')
    if (pattern.length !== parts.length) continue
    const parameters: Parameters = {}
    const fits = pattern.every((part, i) => {
      const given = parts[i] ?? ''
      if (!part.startsWith(':')) return part === given
      parameters[part.slice(1)] = given
      return given !== ''
    })
    if (fits) return { route, parameters }
  }
  return undefined
}
