/** The assumptions of the calculation, which nothing here measures. docs/operate/costs.md lists them. */
export const assumed = {
  /** Assumption: how long a model streams a response of a few hundred tokens, at about fifty per second. */
  modelCallSeconds: 8,
  /**
   * Assumptions: a response of about 300 tokens to the caller, each an event of about 130 bytes; and a request to the provider
   * with an agent's prompt and a part of its history.
   */
  modelAnswerKb: 40,
  modelRequestKb: 20,
  /**
   * The volume of CloudWatch logs: the lines of the operations of `npm run costs` (333 and 278 bytes for a model call, 295 for
   * a turn, 329 for a read), the metrics in them in a deployment (289 for a request, 387 for a completion), and the API's
   * access log (215). Lambda's own lines, 260 bytes per invocation, are switched off: stacks/functions.ts.
   */
  modelLogKb: 1.5,
  /** Assumption: the duration of an agent's turn, including its model call. */
  turnSeconds: 10,
  /** Assumption: the same 300 tokens in the platform's smaller events. */
  turnAnswerKb: 20,
  turnLogKb: 0.8,
  /** Assumptions: two round trips to the table at the function's share of a CPU; one agent as JSON, with headers. */
  readSeconds: 0.02,
  readAnswerKb: 2,
  readLogKb: 0.83,
  /** Assumption: how often per day a person uses an agent, for how many minutes, and Fargate's time to start it. */
  sittingsADay: 2,
  sittingMinutes: 10,
  startMinutes: 1,
  /** A sleep and a wake: the metered rows of both, and the caller's function that waits for the start. */
  wake: { reads: 25, writes: 90, seconds: 60, memoryMb: 512 },
  /**
   * The interval of the watchdog's checks of a healthy agent. Assumption, on the high side: the CPU time of one check. bench/watchdog
   * measures 0.76 ms; it was not measured on Lambda.
   */
  lookEverySeconds: 120,
  lookCpuMs: 2.1,
  /**
   * The hourly gateway: two tasks, so that one may fail, and the streams per task by bench/streams. Assumption: a task is
   * filled to 60 %; the rest is headroom until another task has started.
   */
  gateway: { tasks: 2, vcpu: 1, gb: 2, streamsATask: 500, fullness: 0.6 },
  /**
   * Lambda polls an empty queue with five concurrent long polls of 20 seconds. It would use two if the trigger had no maximum
   * concurrency, but all of our queues have one: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
   */
  pollsAMinute: 15,
  /** Assumptions, on the high side: a dozen sequential round trips to the table, and the log line of a tick. */
  tick: { seconds: 0.2, logKb: 0.3 },
  /** Assumption: an agent's traffic per month in GB, about 70 MB per day. */
  agentTrafficGb: 2,
  /**
   * A commit of a container: the requests to open the files, for links and for the commit, and one pack. A container
   * commits at most once a minute, if a file has changed; otherwise it only opens them.
   */
  fileCommit: { reads: 12, writes: 14, puts: 1, requests: 3, seconds: 0.1, memoryMb: 1024 },
  /** The part of a file that a container reads with one request, at most. */
  filePartMb: 4,
  /** Restore points of seven days, each after all files were rewritten. */
  restorePoints: 7,
}
