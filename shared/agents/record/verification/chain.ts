import type { Address } from 'viem'
import type { Rpc } from '#shared/money/evm/client.ts'
import { notConfigured } from '#shared/platform/errors.ts'

/** The chain of the proofs. */
export interface Chain {
  /** EVM_CHAIN_ID: the chain of EVM_RPC_URL. */
  id: number
  rpc: Rpc
}

interface Deployment {
  /** The attestation service: attest.org, "Deployments". */
  eas: Address
  /** The name registry, and the parent name of reverse records: ENSIP-1, ENSIP-3, ENSIP-11. */
  names?: { registry: Address; reverse: string }
}

const ens: Deployment['names'] = {
  registry: '0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e',
  reverse: 'addr.reverse',
}

/** A predeploy of every OP Stack chain. */
const opStackEas = '0x4200000000000000000000000000000000000021'

/** The key is the chain id. Base has its own names in the same format: github.com/base/basenames. */
const deployments: Readonly<Record<number, Deployment>> = {
  1: { eas: '0xA1207F3BBa224E2c9c3c6D5aF63D0eb1582Ce587', names: ens },
  10: { eas: opStackEas },
  8453: {
    eas: opStackEas,
    names: {
      registry: '0xb94704422c2a1e396835a571837aa5ae53285a95',
      reverse: '80002105.reverse',
    },
  },
  84_532: { eas: opStackEas },
  11_155_111: { eas: '0xC2679fBD37d54388Ce493F1DB75320D236e1815e', names: ens },
}

/** @throws PlatformError 503 if no node is configured, or the chain is not known to have attestations */
export function attestationsOf({ id, rpc }: Chain): Address {
  const eas = deployments[id]?.eas
  if (rpc.url === undefined) throw notConfigured('Verification by attestation', [rpc.setting])
  if (eas === undefined) throw notConfigured('Verification by attestation', ['EVM_CHAIN_ID'])
  return eas
}

/** @throws PlatformError 503 if no node is configured, or the chain is not known to have names */
export function namesOf({ id, rpc }: Chain): NonNullable<Deployment['names']> {
  const names = deployments[id]?.names
  if (rpc.url === undefined) throw notConfigured('Verification by name', [rpc.setting])
  if (names === undefined) throw notConfigured('Verification by name', ['EVM_CHAIN_ID'])
  return names
}
