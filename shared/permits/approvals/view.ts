import { isUtf8 } from 'node:buffer'
import { amountOf, format } from '#shared/money/amounts/amount.ts'
import type { Approval } from './approval.ts'
import type { ParkedRequest } from './request.ts'
import type { ApprovalView } from './schema.ts'

/** Returns an approval as its owner sees it. @param request absent in lists */
export function viewOf(approval: Approval, request?: ParkedRequest): ApprovalView {
  const { id, agentId, action, summary, state, createdAt, result } = approval
  const { target, microUsd, session } = approval
  return {
    id,
    agentId,
    action,
    summary,
    details: {
      target,
      ...(microUsd !== undefined && { usd: format(amountOf('USD', BigInt(microUsd)), 6) }),
      session,
      ...(request !== undefined && rawOf(request)),
    },
    state,
    createdAt,
    expiresAt: approval.until,
    decidedAt: approval.decidedAt ?? null,
    decidedBy: approval.decidedBy ?? null,
    note: approval.note ?? null,
    result: result ?? null,
  }
}

function rawOf({ json, body }: ParkedRequest) {
  const text = body !== undefined && isUtf8(body) ? Buffer.from(body).toString('utf8') : null
  return { request: { ...json }, body: text, bodyBytes: body?.length ?? 0 }
}
