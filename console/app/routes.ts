import type { ComponentType } from 'preact'

export interface Route {
  /** `/agents/:id/:tab`; a part that begins with a colon stands for any one. */
  pattern: string
  title: string
  /** `signed-in` leads everyone else to the sign-in page, `signed-out` those who are signed in onwards. */
  for: 'signed-in' | 'signed-out' | 'anyone'
  /** Whether the navigation stands beside it. */
  bare?: boolean
  load(): Promise<{ default: ComponentType<Parameters> }>
}

/** What the parts of a pattern stand for. */
export type Parameters = Record<string, string>

const signIn = () => import('../screens/sign-in/sign-in.tsx')

/** One function for all of its tabs, so that moving between them keeps the page. */
const agent = () => import('../screens/agent/agent.tsx')

/** Every screen; each is loaded when it is first shown. */
export const routes: readonly Route[] = [
  { pattern: '/login', title: 'Sign in', for: 'signed-out', load: signIn },
  {
    pattern: '/register',
    title: 'Create your account',
    for: 'signed-out',
    load: () => import('../screens/sign-in/register.tsx'),
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
  },
  {
    pattern: '/dashboard',
    title: 'Overview',
    for: 'signed-in',
    load: () => import('../screens/dashboard/dashboard.tsx'),
  },
  {
    pattern: '/agents',
    title: 'Agents',
    for: 'signed-in',
    load: () => import('../screens/agents/agents.tsx'),
  },
  {
    pattern: '/agents/new',
    title: 'New agent',
    for: 'signed-in',
    load: () => import('../screens/agents/new-agent.tsx'),
  },
  {
    pattern: '/agents/:id',
    title: 'Agent',
    for: 'signed-in',
    load: agent,
  },
  {
    pattern: '/agents/:id/:tab',
    title: 'Agent',
    for: 'signed-in',
    load: agent,
  },
  {
    pattern: '/keys',
    title: 'Keys',
    for: 'signed-in',
    load: () => import('../screens/keys/keys.tsx'),
  },
  {
    pattern: '/billing',
    title: 'Plan and billing',
    for: 'signed-in',
    load: () => import('../screens/billing/billing.tsx'),
  },
  {
    pattern: '/account',
    title: 'Account',
    for: 'signed-in',
    load: () => import('../screens/account/account.tsx'),
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
