/** The local replacement for a container image. */
export interface Image {
  /** Default: the task definition's command. */
  command?: string[]
}

/** The program of a task definition family on this machine. */
export interface Family {
  /** The command, argument by argument. The first is a path or is looked up in PATH. */
  command: string[]
  /** The working directory; default: the task's volume. */
  cwd?: string
  /** The environment of every task. The engine's own environment is not passed on. */
  env?: Record<string, string>
  containerName: string
  /** The deployed port, which is mapped to a port of this machine. Default: the gateway's. */
  containerPort?: number
  /** The variable that holds the port of 127.0.0.1 to listen on. Default GATEWAY_PORT. */
  portEnv?: string
  /** The path of the health check; null for no check. Default /readyz. */
  healthPath?: string | null
  /** Seconds and counts of the health check. Default: interval 30, timeout 5, 5 retries, start period 20. */
  healthCheck?: { interval?: number; timeout?: number; retries?: number; startPeriod?: number }
  /** The variable that holds the volume's path. Default WORKSPACE_DIR. */
  volumeEnv?: string
  /** Seconds between SIGTERM and SIGKILL, at most 120. */
  stopTimeoutSeconds: number
  /** CPU units, 1024 per core. Returned but not enforced. */
  cpu: number
  /** MiB. Returned but not enforced. */
  memory: number
}
