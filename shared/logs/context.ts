import type { ContainerLogs } from '../platform/logs/port.ts'
import type { Table } from '../platform/table/port.ts'

export interface LogContext {
  table: Table
  logs: ContainerLogs
}
