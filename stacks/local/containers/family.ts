/** What stands for a container image on this machine, which has none. */
export interface Image {
  /** Default: the task definition's. */
  command?: string[]
}

/** What a task of one task definition family runs on this machine. */
export interface Family {
  /** The process, argument by argument; the first is a path or is looked up in PATH. */
  command: string[]
  /** The process's folder; the task's volume when absent. */
  cwd?: string
  /** Environment of every task of the family. Nothing of the engine's own environment is added. */
  env?: Record<string, string>
  containerName: string
  /** The port as deployed, which the mapping to this machine's port names. Default: the gateway's. */
  containerPort?: number
  /** The variable that tells the process which port of 127.0.0.1 to listen on. Default GATEWAY_PORT. */
  portEnv?: string
  /** What the health check asks for; null for none. Default /readyz. */
  healthPath?: string | null
  /** Seconds and counts of the health check. Default 30, 5, 5 retries, 20. */
  healthCheck?: { interval?: number; timeout?: number; retries?: number; startPeriod?: number }
  /** The variable that holds the volume's path. Default WORKSPACE_DIR. */
  volumeEnv?: string
  /** Seconds between SIGTERM and SIGKILL, at most 120. */
  stopTimeoutSeconds: number
  /** CPU units, 1024 a core; shown, not enforced. */
  cpu: number
  /** MiB; shown, not enforced. */
  memory: number
}
