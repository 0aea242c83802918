import { localPorts } from '../ports.ts'
import type { MachineKind, Setting } from './types.ts'

/** The settings of the stack on one machine that its functions read too; ignored when deployed. */
export const machineSettings = {
  /** `off` disables rate limits, for load tests. */
  RATE_LIMITS: { kind: 'switch', default: 'on' },
  /** The endpoint of another DynamoDB. Default: the embedded one. */
  DYNAMODB_ENDPOINT: { kind: 'url', example: 'http://127.0.0.1:8000' },
  /** The endpoint of another SQS. Default: the embedded one. */
  SQS_ENDPOINT: { kind: 'url', example: 'http://127.0.0.1:9324' },
  /** The endpoint of another ECS. Default: the embedded one. */
  ECS_ENDPOINT: { kind: 'url', example: 'http://127.0.0.1:5000' },
} as const satisfies Record<string, Setting>

/** The settings of the stack on one machine only. */
export const stackSettings = {
  /** The directory for the state of one machine. */
  DATA_DIR: { kind: 'text', default: '.data' },
  /** The port of the web surface. */
  WEB_PORT: { kind: 'port', default: localPorts.web },
  /** The port of the backend. */
  BACKEND_PORT: { kind: 'port', default: localPorts.backend },
  /** The port of the summarizer. */
  SUMMARIZER_PORT: { kind: 'port', default: localPorts.summarizer },
  /**
   * The port of agents' own hosts. Browsers and curl resolve `*.localhost`; other clients must send the Host header.
   */
  AGENTS_PORT: { kind: 'port', default: localPorts.agents },
  /** The port of the stand-in checkout. Without a value, a free port is used if the default is in use. */
  PAYMENTS_PORT: { kind: 'port', default: localPorts.payments },
  /**
   * The port that receives mails to agents by SMTP. Without a value, a free port is used if the default is in use.
   */
  EMAIL_IN_PORT: { kind: 'port', default: localPorts.mail },
  /**
   * The port of the queue engine, for SDK clients with AWS_ENDPOINT_URL_SQS. If it is set, the access key id of the
   * engines is kept in `DATA_DIR/secrets.json`, unless LOCAL_ACCESS_KEY_ID is set.
   */
  QUEUE_PORT: { kind: 'port', default: 0, example: '9324' },
  /** `off` disables the stand-in checkout, which replaces a payment provider. */
  PAYMENTS: { kind: 'switch', default: 'on', example: 'off' },
  /**
   * The agents' gateway: `embedded` runs `agent/gateway`; `openclaw` runs OpenClaw 2026.9.6, downloaded once from
   * npm (650 MB), with about 1.4 GB of memory per agent.
   */
  AGENT_RUNTIME: { kind: 'runtime', default: 'embedded' },
  /** The access key id that the local engines require. Without it and QUEUE_PORT, each start makes a new one. */
  LOCAL_ACCESS_KEY_ID: { kind: 'access-key-id' },
} as const satisfies Record<string, Setting<MachineKind>>

/** The settings of deployments only. */
export const deploySettings = {
  /** The AWS region of the stage, which cannot change. */
  AWS_REGION: { kind: 'text', example: 'eu-west-1' },
  /**
   * The domain of the web surface, a host name. WEB_URL follows from it; its CNAME record must point to the output
   * `webCname`. It needs WEB_CERTIFICATE_ARN.
   */
  WEB_DOMAIN: { kind: 'text', example: 'example.com' },
  /** The ACM certificate of WEB_DOMAIN, in us-east-1. */
  WEB_CERTIFICATE_ARN: { kind: 'text' },
  /** The domain of the backend, as WEB_DOMAIN: BACKEND_URL, the output `backendCname`. */
  BACKEND_DOMAIN: { kind: 'text', example: 'api.example.com' },
  /** The ACM certificate of BACKEND_DOMAIN, in us-east-1. */
  BACKEND_CERTIFICATE_ARN: { kind: 'text' },
  /** The domain of the summarizer, as WEB_DOMAIN: SUMMARIZER_URL, the output `summarizerCname`. */
  SUMMARIZER_DOMAIN: { kind: 'text', example: 'summarizer.example.com' },
  /** The ACM certificate of SUMMARIZER_DOMAIN, in us-east-1. */
  SUMMARIZER_CERTIFICATE_ARN: { kind: 'text' },
  /**
   * `existing` if SES already has a verified identity of the sender's address or domain, which the stage then uses.
   * Without it the stage creates an identity of the address, which AWS refuses if one exists. Do not set it in the
   * stage that created the identity, because that removes the identity.
   */
  EMAIL_IDENTITY: { kind: 'text', example: 'existing' },
  /**
   * The name of SES's active receipt rule set. The stage adds its rule for EMAIL_IN_DOMAIN to it. Without a value, the stage
   * creates a rule set and activates it, which deactivates any other rule set in the account and region.
   */
  EMAIL_IN_RULE_SET: { kind: 'text', example: 'inbound' },
  /**
   * The Availability Zones of the network, two or three, separated by commas. Default: three of the region. They cannot
   * change after the first deployment.
   */
  ZONES: { kind: 'list', example: 'eu-west-1a,eu-west-1b,eu-west-1c' },
  /** The VPC for a throwaway stage, which has no VPC of its own: the output `network` of a stage that is kept. */
  NETWORK_VPC_ID: { kind: 'text', example: 'vpc-0123456789abcdef0' },
  /**
   * `false` if the stage reserves no Lambda instances, such as a second stage in a region. The reservations of all
   * stages and other programs of an account must leave 100 in a region. Throwaway stages never reserve.
   */
  RESERVE: { kind: 'text', default: 'true', example: 'false' },
  /** A table restored from a backup, which all functions use instead of the stage's own. */
  RESTORED_TABLE: { kind: 'text' },
  /** The ACM certificate of `*.AGENTS_DOMAIN`. It enables the agents' router. */
  AGENTS_CERTIFICATE_ARN: { kind: 'text' },
  /** A copy of the router's official image, with its digest. */
  ROUTER_IMAGE: { kind: 'text' },
  /**
   * `true` gives agents the shared addresses of NAT gateways, one in each zone, instead of one address per agent. Set
   * `draining` before you disable it.
   */
  AGENTS_NAT: { kind: 'text', default: 'false', example: 'true' },
  /**
   * The functions to run as services, paid by the hour instead of by the call, separated by commas: `backend-ai`.
   * Without it all functions run on Lambda.
   */
  SERVICES: { kind: 'list' },
  /** The image of `stacks/service/Dockerfile`, with its digest. SERVICES requires it. */
  SERVICE_IMAGE: { kind: 'text' },
  /**
   * A domain at Cloudflare. Functions that support the edge then run there, as workers below this domain; without
   * it all run on Lambda.
   */
  WORKERS_DOMAIN: { kind: 'text' },
  /** The API token for the Cloudflare account of WORKERS_DOMAIN; it may edit workers, their secrets and their domains. */
  CLOUDFLARE_API_TOKEN: { kind: 'text' },
  /** The id of that Cloudflare account. */
  CLOUDFLARE_DEFAULT_ACCOUNT_ID: { kind: 'text' },
} as const satisfies Record<string, Setting>
