import type { Context } from '#shared/platform/identity/context.ts'
import type { ConnectionSettings } from '#shared/tools/connections/context.ts'

export type Services = Pick<Context, 'table'> & ConnectionSettings
