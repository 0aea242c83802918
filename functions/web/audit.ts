import { readAudit } from '#shared/accounts/audit/read.ts'
import { auditLine, auditQuery } from '#shared/accounts/audit/schema.ts'
import { respondWithLines } from '#shared/http/json-lines.ts'
import { routesWith } from '#shared/http/route.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { userGroup } from '../common/user-group.ts'

export type Services = Pick<Context, 'table'>

const route = routesWith<Services>()

export const routes = [
  route({
    name: 'audit.read',
    method: 'GET',
    path: '/api/audit',
    summary: 'Read the audit log',
    description:
      'Changes of the account, access and money, oldest first. One entry per line; each contains the hash of the entry before it.',
    tag: 'audit',
    guard: 'session',
    open: { kind: 'audits', most: 5, what: 'readings of the audit' },
    query: auditQuery,
    response: auditLine,
    lines: true,
    errors: ['bad-request', 'unauthorized'],
    handle: ({ table, owner }, { query }) =>
      respondWithLines(readAudit({ table }, { userId: owner, since: query.since })),
  }),
]

export function wire(config: ConfigOf<'web-audit'>) {
  return userGroup<Services>(config, (table) => ({ table }))
}
