import type { Method } from '../route.ts'

export interface LimitRule {
  /** Names the counter; rules of one scope share it. */
  scope: string
  surface: string
  method?: Method
  /** Covers this path and everything below it. */
  prefix: string
  /** Requests a minute and client address. */
  perMinute: number
  message: string
}

const general = 'Too many requests, please slow down.'

/** spec.md, Rate limits; the last four are contract.md 2's. */
export const limitRules: readonly LimitRule[] = [
  { scope: 'general', surface: 'backend', prefix: '/api', perMinute: 120, message: general },
  {
    scope: 'ai',
    surface: 'backend',
    prefix: '/api/ai',
    perMinute: 30,
    message: 'AI rate limit exceeded.',
  },
  {
    scope: 'deployments',
    surface: 'backend',
    method: 'POST',
    prefix: '/api/deployments',
    perMinute: 5,
    message: 'Deployment rate limit exceeded.',
  },
  // Not a client's: all agents of one machine come from one address.
  {
    scope: 'bootstrap',
    surface: 'backend',
    prefix: '/bootstrap',
    perMinute: 600,
    message: general,
  },
  { scope: 'gateway', surface: 'web', prefix: '/api/v1/gateway', perMinute: 100, message: general },
  { scope: 'agents', surface: 'web', prefix: '/api/agents', perMinute: 100, message: general },
  { scope: 'chat', surface: 'web', prefix: '/api/chat', perMinute: 60, message: general },
  { scope: 'instance', surface: 'web', prefix: '/api/instance', perMinute: 30, message: general },
  { scope: 'provision', surface: 'web', prefix: '/api/provision', perMinute: 5, message: general },
  { scope: 'register', surface: 'web', prefix: '/api/register', perMinute: 60, message: general },
  {
    scope: 'forgot',
    surface: 'web',
    prefix: '/api/auth/forgot-password',
    perMinute: 60,
    message: general,
  },
  {
    scope: 'reset',
    surface: 'web',
    prefix: '/api/auth/reset-password',
    perMinute: 60,
    message: general,
  },
  {
    scope: 'demo',
    surface: 'web',
    method: 'POST',
    prefix: '/api/demo/chat',
    perMinute: 60,
    message: 'Too many requests',
  },
]

/** The rules that a request falls under. */
export function rulesFor(surface: string, method: string, path: string): LimitRule[] {
  return limitRules.filter(
    (rule) =>
      rule.surface === surface &&
      (rule.method === undefined || rule.method === method) &&
      (path === rule.prefix || path.startsWith(`${rule.prefix}/`)),
  )
}
