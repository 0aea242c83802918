import { localPorts } from '../ports.ts'
import type { MachineKind, Setting } from './types.ts'

/** What people set for the stack on one machine and its functions are told; ignored when deployed. */
export const machineSettings = {
  /** `off` for load tests. */
  RATE_LIMITS: { kind: 'switch', default: 'on' },
  /** Another DynamoDB than the embedded one. */
  DYNAMODB_ENDPOINT: { kind: 'url', example: 'http://127.0.0.1:8000' },
  /** Another SQS than the embedded one. */
  SQS_ENDPOINT: { kind: 'url', example: 'http://127.0.0.1:9324' },
  /** Another ECS than the embedded one. */
  ECS_ENDPOINT: { kind: 'url', example: 'http://127.0.0.1:5000' },
} as const satisfies Record<string, Setting>

/** What people set for the stack on one machine alone. */
export const stackSettings = {
  /** Where one machine keeps its state. */
  DATA_DIR: { kind: 'text', default: '.data' },
  /** The port of the web surface. */
  WEB_PORT: { kind: 'port', default: localPorts.web },
  /** The port of the backend. */
  BACKEND_PORT: { kind: 'port', default: localPorts.backend },
  /** The port of the summarizer. */
  SUMMARIZER_PORT: { kind: 'port', default: localPorts.summarizer },
  /** The port of the agents' own hosts; browsers and curl find `*.localhost` by themselves, other clients send the Host header. */
  AGENTS_PORT: { kind: 'port', default: localPorts.agents },
  /** The port of the stand-in checkout; a free one where this is not set and the default is taken. */
  PAYMENTS_PORT: { kind: 'port', default: localPorts.payments },
  /** `off`: no stand-in checkout takes the place of a payment provider. */
  PAYMENTS: { kind: 'switch', default: 'on', example: 'off' },
  /** `embedded`, the gateway in `agent/gateway`, or `openclaw`: OpenClaw 2026.9.6, fetched once from npm (650 MB), about 1.4 GB of memory an agent. */
  AGENT_RUNTIME: { kind: 'runtime', default: 'embedded' },
  /** The access key id that the local engines demand; new at each start without it. */
  LOCAL_ACCESS_KEY_ID: { kind: 'access-key-id' },
} as const satisfies Record<string, Setting<MachineKind>>

/** What people set for deploying alone. */
export const deploySettings = {
  /** A table that the stage's own was restored to, which all functions use from then on. */
  RESTORED_TABLE: { kind: 'text' },
  /** The certificate of `*.AGENTS_DOMAIN` in ACM, which switches the agents' router on. */
  AGENTS_CERTIFICATE_ARN: { kind: 'text' },
  /** Another copy of the router's image than the official one, with its digest. */
  ROUTER_IMAGE: { kind: 'text' },
  /** `true`: agents share the addresses of NAT gateways, one a zone, in place of one of their own each; `draining` before it is taken back. */
  AGENTS_NAT: { kind: 'text', default: 'false', example: 'true' },
  /** Functions that run as services, by the hour and not by the call, with commas between them: `backend-ai`; without it on Lambda. */
  SERVICES: { kind: 'list' },
  /** The image of `stacks/service/Dockerfile`, with its digest; `SERVICES` need it. */
  SERVICE_IMAGE: { kind: 'text' },
  /** A domain at Cloudflare: what may run at the edge runs there then, as workers below it; without it on Lambda. */
  WORKERS_DOMAIN: { kind: 'text' },
} as const satisfies Record<string, Setting>
