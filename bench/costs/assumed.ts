/** What the arithmetic takes for granted: no meter here tells it. Each is in docs/costs.md. */
export const assumed = {
  /** How long a model streams its answer. */
  modelCallSeconds: 8,
  /** What a call's answer is on its way to the caller, and the request on its way to the provider. */
  modelAnswerKb: 40,
  modelRequestKb: 20,
  /** The function's own line and the API's access line; Lambda's three, 0.34 KB more, are off (stacks/functions.ts). */
  modelLogKb: 0.96,
  /** How long an agent takes over a turn, of which its model call is a part. */
  turnSeconds: 10,
  turnAnswerKb: 20,
  turnLogKb: 0.66,
  readSeconds: 0.02,
  readAnswerKb: 2,
  readLogKb: 0.72,
  /** A person sits down with an agent so often a day, for so many minutes. */
  sittingsADay: 2,
  sittingMinutes: 10,
  startMinutes: 1,
  /** A sleep and a wake: the rows of both, and the caller's function that waits for the start. */
  wake: { reads: 25, writes: 90, seconds: 60, memoryMb: 512 },
  /** The watchdog looks at an agent that is well so often, and finds those that are due every minute. */
  lookEverySeconds: 120,
  lookCpuMs: 2.1,
  /** Of the hourly gateway: two tasks, so that one may fail, and the streams that one holds. */
  gateway: { tasks: 2, vcpu: 1, gb: 2, streamsATask: 500, fullness: 0.6 },
  /** What an agent fetches and sends in a month, in GB. */
  agentTrafficGb: 2,
}
