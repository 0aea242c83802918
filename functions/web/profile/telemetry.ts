import { routesWith } from '#shared/http/route.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Sealer } from '#shared/platform/seal.ts'
import { newTelemetry, telemetryTest, telemetryView } from '#shared/tools/telemetry/schema.ts'
import { getTelemetry, setTelemetry, testTelemetry } from '#shared/tools/telemetry/settings.ts'

export type Services = Pick<Context, 'table'> &
  Can<'guard'> & {
    /** Undefined without WALLET_ENCRYPTION_KEY. */
    sealer: Sealer | undefined
  }

const route = routesWith<Services>()

const common = { path: '/api/settings/telemetry', tag: 'accounts', guard: 'session' } as const

/** The collector for spans of a user's work. */
export const telemetry = [
  route({
    name: 'settings.telemetry.get',
    ...common,
    method: 'GET',
    summary: 'Get the telemetry collector',
    response: telemetryView,
    errors: ['unauthorized', 'not-found'],
    handle: (context) => getTelemetry(context),
  }),

  route({
    name: 'settings.telemetry.set',
    ...common,
    method: 'PUT',
    summary: 'Set the telemetry collector',
    description:
      'Spans of the caller’s work are sent to it by OTLP. A null address turns this off.',
    // The collector receives what is said to agents.
    scope: 'admin',
    body: newTelemetry,
    response: telemetryView,
    errors: ['bad-request', 'unauthorized', 'not-found', 'unavailable'],
    audits: ['provider.linked'],
    handle: (context, { body }) => setTelemetry(context, body),
  }),

  route({
    name: 'settings.telemetry.test',
    ...common,
    method: 'POST',
    path: '/api/settings/telemetry/test',
    summary: 'Send a test span to the telemetry collector',
    description: 'Returns the collector’s status code.',
    limits: [{ scope: 'telemetry-test', perMinute: 10 }],
    response: telemetryTest,
    errors: ['unauthorized', 'not-found', 'conflict', 'too-many-requests', 'unavailable'],
    notAudited: 'sends a span without content',
    handle: (context) => testTelemetry(context),
  }),
]
