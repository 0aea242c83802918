import type { Notice, NoticeMessage } from './schema.ts'

const sentences: Record<Notice['kind'], (name: string, cause: string, attempt: number) => string> =
  {
    degraded: (name, cause) => `${name} is degraded: ${cause}.`,
    repair_started: (name, cause) => `Repairing ${name}: ${cause}.`,
    repaired: (name, cause) => `${name} is running again after: ${cause}.`,
    repair_failed: (name, cause, attempt) => `Repair ${attempt} of ${name} failed: ${cause}.`,
    crash_loop: (name, cause) =>
      `${name} keeps failing and was stopped: ${cause}. Start, restart or repair it to try again.`,
  }

export interface NoticeFacts {
  kind: Notice['kind']
  agentId: string
  agentName: string
  cause: string
  attempt: number
  /** When the incident began: with kind and attempt it makes each notice one of its kind. */
  incidentAt: string
}

/** A notice and the id that makes it once per incident, kind and attempt. */
export function composeNotice(facts: NoticeFacts, now: number): NoticeMessage {
  const { kind, agentId, agentName, cause, attempt, incidentAt } = facts
  const text = sentences[kind](agentName, cause.replace(/\.$/, ''), attempt)
  const at = new Date(now).toISOString()
  return {
    id: `${agentId}#${incidentAt}#${kind}#${attempt}`,
    notice: { kind, agentId, agentName, cause, attempt, at, text, content: text },
  }
}
