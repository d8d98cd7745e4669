/** JSON-RPC 2.0, section 5.1. Constants of our own, so that they can be used before the library is loaded. */
export const errorCode = { parse: -32_700, invalidRequest: -32_600, invalidParams: -32_602 } as const;
