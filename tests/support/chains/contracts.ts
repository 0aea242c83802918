import {
  concat,
  getCreate2Address,
  type Hex,
  numberToHex,
  pad,
  size,
  toEventSelector,
  toHex,
} from 'viem'
import type { Anvil } from './anvil.ts'

/** The opcodes of the instructions that the contracts below use. */
const opcodes = {
  MUL: 0x02,
  ADD: 0x01,
  EQ: 0x14,
  AND: 0x16,
  SHL: 0x1b,
  SHR: 0x1c,
  CALLER: 0x33,
  CALLDATALOAD: 0x35,
  CODECOPY: 0x39,
  POP: 0x50,
  MLOAD: 0x51,
  MSTORE: 0x52,
  SLOAD: 0x54,
  GAS: 0x5a,
  LOG3: 0xa3,
  RETURN: 0xf3,
  STATICCALL: 0xfa,
} as const

type Instruction = keyof typeof opcodes | Hex

/** Returns the machine code of instructions; a hex value is pushed. */
function assemble(...instructions: readonly Instruction[]): Hex {
  return concat(
    instructions.map((one) =>
      one.startsWith('0x')
        ? concat([numberToHex(0x5f + size(one as Hex)), one as Hex])
        : numberToHex(opcodes[one as keyof typeof opcodes], { size: 1 }),
    ),
  )
}

/** Copies `CALLDATALOAD(from)` to memory, shifted right by `shift` bits. */
const copy = (from: Hex, to: Hex, shift: Hex = '0x00'): Instruction[] => [
  from,
  'CALLDATALOAD',
  shift,
  'SHR',
  to,
  'MSTORE',
]

const returnWords = (bytes: Hex): Instruction[] => [bytes, '0x00', 'RETURN']

/**
 * A smart wallet of one owner. It takes every call for `isValidSignature(bytes32 hash, bytes signature)`, recovers the
 * signer by the precompile at 1 (hash, v, r, s in memory from 0 on), and answers 0x1626ba7e if it is the owner, else 0.
 */
function walletCode(owner: Hex): Hex {
  return assemble(
    ...copy('0x04', '0x00'),
    ...copy('0xa4', '0x20', '0xf8'),
    ...copy('0x64', '0x40'),
    ...copy('0x84', '0x60'),
    ...(['0x20', '0x80', '0x80', '0x00', '0x01', 'GAS', 'STATICCALL', 'POP'] as const),
    ...(['0x80', 'MLOAD', owner, 'EQ', '0x1626ba7e', 'MUL', '0xe0', 'SHL'] as const),
    ...(['0x00', 'MSTORE'] as const),
    ...returnWords('0x20'),
  )
}

/** Returns the value stored under the call's first argument: `balanceOf(address)` and `idOf(address)` alike. */
export const lookupCode = assemble(
  '0x04',
  'CALLDATALOAD',
  'SLOAD',
  '0x00',
  'MSTORE',
  ...returnWords('0x20'),
)

/** `keyDataOf(uint256 fid, bytes key)`: returns the value stored under fid plus key, its low byte, and the rest. */
export const keyDataCode = assemble(
  ...(['0x04', 'CALLDATALOAD', '0x64', 'CALLDATALOAD', 'ADD', 'SLOAD'] as const),
  ...(['0x20', 'MSTORE', '0x20', 'MLOAD', '0xff', 'AND', '0x00', 'MSTORE'] as const),
  ...(['0x20', 'MLOAD', '0x08', 'SHR', '0x20', 'MSTORE'] as const),
  ...returnWords('0x40'),
)

/** Returns the same bytes for every call; its code is fourteen bytes long, so the data starts at 14. */
export function answerCode(answer: Hex): Hex {
  const length = numberToHex(size(answer), { size: 2 })
  return concat([assemble(length, '0x0e', '0x00', 'CODECOPY', length, '0x00', 'RETURN'), answer])
}

/** Emits ERC-20's Transfer event for every caller: a receiver and an amount, 32 bytes each. No balance changes. */
export const transferCode = assemble(
  ...(['0x20', 'CALLDATALOAD', '0x00', 'MSTORE', '0x00', 'CALLDATALOAD', 'CALLER'] as const),
  toEventSelector('Transfer(address,address,uint256)'),
  ...(['0x20', '0x00', 'LOG3'] as const),
)

/**
 * The deterministic deployment proxy, which has this address on every chain, including anvil's. Its input is a salt
 * followed by creation code.
 */
export const deployer: Hex = '0x4e59b44847b379578588920ca78fbf26c0b4956c'

/** Returns the deployment of a wallet at an address that is known in advance. */
export function walletDeployment(owner: Hex): { address: Hex; data: Hex } {
  const code = walletCode(owner)
  const salt = pad('0x')
  const creation = answerCode(code)
  const address = getCreate2Address({ from: deployer, salt, bytecode: creation })
  return { address, data: concat([salt, creation]) }
}

/** Places code at an address, with its storage. */
export async function place(anvil: Anvil, address: Hex, code: Hex): Promise<void> {
  await anvil.request('anvil_setCode', address, code)
}

/** Stores a value under a key of a contract. */
export async function store(anvil: Anvil, contract: Hex, key: Hex | bigint, value: bigint) {
  const word = (given: Hex | bigint) => pad(typeof given === 'bigint' ? toHex(given) : given)
  await anvil.request('anvil_setStorageAt', contract, word(key), word(value))
}
