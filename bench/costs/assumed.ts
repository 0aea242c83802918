/** What the arithmetic takes for granted: no meter here tells it. Each is in docs/costs.md. */
export const assumed = {
  /** An assumption: how long a model streams an answer of a few hundred tokens, at some fifty a second. */
  modelCallSeconds: 8,
  /**
   * Assumptions: an answer of some 300 tokens, each an event of about 130 bytes, on its way to the caller; and a request
   * with an agent's prompt and some of its history on its way to the provider.
   */
  modelAnswerKb: 40,
  modelRequestKb: 20,
  /**
   * What CloudWatch takes in: the lines of `npm run costs`'s own operations (333 and 278 bytes of a model call, 295 of a turn,
   * 329 of a read), the metrics in them where they are deployed (289 of a request, 387 of a completion) and the API's
   * access log (215). Lambda's own lines are left out, 260 bytes more an invocation: stacks/functions.ts.
   */
  modelLogKb: 1.5,
  /** An assumption: how long an agent takes over a turn, of which its model call is a part. */
  turnSeconds: 10,
  /** An assumption: the same 300 tokens, as this platform's smaller events. */
  turnAnswerKb: 20,
  turnLogKb: 0.8,
  /** Assumptions: two round trips to the table at the share of a processor that the function has; one agent as JSON, with headers. */
  readSeconds: 0.02,
  readAnswerKb: 2,
  readLogKb: 0.83,
  /** An assumption: a person sits down with an agent so often a day, for so many minutes, and Fargate takes one to start it. */
  sittingsADay: 2,
  sittingMinutes: 10,
  startMinutes: 1,
  /** A sleep and a wake: the rows of both, metered once over the verbs, and the caller's function that waits for the start. */
  wake: { reads: 25, writes: 90, seconds: 60, memoryMb: 512 },
  /**
   * The watchdog looks at an agent that is well so often. An assumption, on the high side: one look's processor time.
   * bench/watchdog measures 0.76 ms; what Lambda's processors take was not measured.
   */
  lookEverySeconds: 120,
  lookCpuMs: 2.1,
  /**
   * Of the hourly gateway: two tasks, so that one may fail, and the streams that one holds, by bench/streams. An assumption: a
   * task is filled to 60 %, the rest being room until another one has started.
   */
  gateway: { tasks: 2, vcpu: 1, gb: 2, streamsATask: 500, fullness: 0.6 },
  /**
   * Lambda asks an empty queue by five long polls of 20 seconds at a time. It makes do with two where no most of instances is set, which
   * each of our queues has: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
   */
  pollsAMinute: 15,
  /** Assumptions, on the high side: some dozen round trips to the table one after the other, and the line of a tick. */
  tick: { seconds: 0.2, logKb: 0.3 },
  /** An assumption: what an agent fetches and sends in a month, in GB, some 70 MB a day. */
  agentTrafficGb: 2,
}
