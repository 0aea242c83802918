import type { ComponentType } from 'preact'
import { tabs } from '../screens/agent/tabs.ts'

export interface Route {
  /** For example `/agents/:id/:tab`. A part with a colon matches any value. */
  pattern: string
  title: string
  /** `signed-in` redirects others to the sign-in page, `signed-out` redirects signed-in users onward. */
  for: 'signed-in' | 'signed-out' | 'anyone'
  /** True for pages without the navigation. */
  bare?: boolean
  load(): Promise<{ default: ComponentType<Parameters> }>
  /** Loads the file of a part that is shown with the page. */
  loadPart?(parameters: Parameters): Promise<unknown> | undefined
  /** The paths that the page requests first, with the query of its URL. */
  first?(parameters: Parameters, query: URLSearchParams): string[]
}

/** The values of a pattern's parts. */
export type Parameters = Record<string, string>

/** One file, because the pages link to each other. */
const entrance = () => import('../screens/sign-in/entrance.ts')

/** One file, because both pages list the agents. */
const overview = () => import('../screens/dashboard/overview.ts')

/** One function for all tabs, so that a change of tabs keeps the page. */
const agent = () => import('../screens/agent/agent.tsx')

const tabOf = ({ tab = '' }: Parameters) => tabs.find(({ slug }) => slug === tab)

const ofAgent: Pick<Route, 'title' | 'for' | 'load' | 'loadPart' | 'first'> = {
  title: 'Agent',
  for: 'signed-in',
  load: agent,
  loadPart: (parameters) => tabOf(parameters)?.load?.(),
  first(parameters, query) {
    const { id = '' } = parameters
    // Data that depends on the query, such as the messages of a topic, is requested when it is shown.
    const asked = query.size === 0 ? tabOf(parameters)?.first(id) : undefined
    return [`/api/agents/${id}`, ...(asked ?? [])]
  },
}

/** One function for both tabs. */
const operator = () => import('../screens/operator/operator.tsx')

/** All screens. Each is loaded when it is first shown. */
const routes: readonly Route[] = [
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
    pattern: '/approvals',
    title: 'Approvals',
    for: 'signed-in',
    load: () => import('../screens/approvals/approvals.tsx'),
  },
  {
    pattern: '/approvals/:id',
    title: 'Approval',
    for: 'signed-in',
    load: () => import('../screens/approvals/approval.tsx'),
    first: ({ id }) => [`/api/approvals/${id}`],
  },
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
    first: () => ['/api/billing', '/api/storage', '/api/agents'],
  },
  {
    pattern: '/account',
    title: 'Account',
    for: 'signed-in',
    load: () => import('../screens/account/account.tsx'),
    first: () => ['/api/settings', '/api/auth/sessions'],
  },
]

/** Returns the route of a path with its parameters. */
export function match(path: string): { route: Route; parameters: Parameters } | undefined {
  const parts = path.split('/')
  for (const route of routes) {
    const pattern = route.pattern.split('/')
    if (pattern.length !== parts.length) continue
    const parameters: Parameters = {}
    const fits = pattern.every((part, i) => {
      const value = parts[i] ?? ''
      if (!part.startsWith(':')) return part === value
      parameters[part.slice(1)] = value
      return value !== ''
    })
    if (fits) return { route, parameters }
  }
  return undefined
}
