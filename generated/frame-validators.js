// Made by `npm run generate` from spec/asyncapi.yaml. Do not edit.
/**
 * @typedef {{ instancePath: string, message?: string, keyword: string, params: Record<string, unknown> }} FrameFault
 */
/**
 * @template F
 * @typedef {{ (frame: unknown): frame is F, errors?: FrameFault[] | null }} FrameValidator
 */
var __getOwnPropNames = Object.getOwnPropertyNames;
var __commonJS = (cb, mod) => function __require() {
  try {
    return mod || (0, cb[__getOwnPropNames(cb)[0]])((mod = { exports: {} }).exports, mod), mod.exports;
  } catch (e) {
    throw mod = 0, e;
  }
};

// node_modules/ajv/dist/runtime/ucs2length.js
var require_ucs2length = __commonJS({
  "node_modules/ajv/dist/runtime/ucs2length.js"(exports) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    function ucs2length(str) {
      const len = str.length;
      let length = 0;
      let pos = 0;
      let value;
      while (pos < len) {
        length++;
        value = str.charCodeAt(pos++);
        if (value >= 55296 && value <= 56319 && pos < len) {
          value = str.charCodeAt(pos);
          if ((value & 64512) === 56320)
            pos++;
        }
      }
      return length;
    }
    exports.default = ucs2length;
    ucs2length.code = 'require("ajv/dist/runtime/ucs2length").default';
  }
});

// <stdin>
var clientFrame = validate11;
var func2 = require_ucs2length().default;
var pattern0 = new RegExp("^(?:[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{12}7[0-9a-fA-F]{3}[89abAB][0-9a-fA-F]{15})$", "u");
function validate12(data, { instancePath = "", parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.type === void 0 && (missing0 = "type") || data.message_id === void 0 && (missing0 = "message_id")) {
        validate12.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "type" || key0 === "message_id")) {
            validate12.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 }, message: "must NOT have additional properties" }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.type !== void 0) {
            let data0 = data.type;
            const _errs2 = errors;
            if (typeof data0 !== "string") {
              validate12.errors = [{ instancePath: instancePath + "/type", schemaPath: "#/properties/type/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
              return false;
            }
            if ("ack" !== data0) {
              validate12.errors = [{ instancePath: instancePath + "/type", schemaPath: "#/properties/type/const", keyword: "const", params: { allowedValue: "ack" }, message: "must be equal to constant" }];
              return false;
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.message_id !== void 0) {
              let data1 = data.message_id;
              const _errs4 = errors;
              const _errs5 = errors;
              if (errors === _errs5) {
                if (typeof data1 === "string") {
                  if (!pattern0.test(data1)) {
                    validate12.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "frames#/definitions/MessageId/pattern", keyword: "pattern", params: { pattern: "^(?:[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{12}7[0-9a-fA-F]{3}[89abAB][0-9a-fA-F]{15})$" }, message: 'must match pattern "^(?:[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{12}7[0-9a-fA-F]{3}[89abAB][0-9a-fA-F]{15})$"' }];
                    return false;
                  }
                } else {
                  validate12.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "frames#/definitions/MessageId/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                  return false;
                }
              }
              var valid0 = _errs4 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate12.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
      return false;
    }
  }
  validate12.errors = vErrors;
  return errors === 0;
}
var schema17 = { "type": "object", "description": "The system event of a message in a batch; its values are checked with the message.", "additionalProperties": false, "required": ["event"], "properties": { "event": { "type": "string", "description": "The name of an event, as in a single message.", "maxLength": 1e3 }, "extension_type": { "type": ["string", "null"], "description": "The group extension that the event is about.", "maxLength": 1e3 } } };
function validate14(data, { instancePath = "", parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.message_id === void 0 && (missing0 = "message_id") || data.recipient_address === void 0 && (missing0 = "recipient_address") || data.mls_ciphertext === void 0 && (missing0 = "mls_ciphertext") || data.sender_signature === void 0 && (missing0 = "sender_signature") || data.timestamp === void 0 && (missing0 = "timestamp")) {
        validate14.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "message_id" || key0 === "recipient_address" || key0 === "mls_ciphertext" || key0 === "sender_signature" || key0 === "timestamp" || key0 === "system_event" || key0 === "expires_in_seconds")) {
            validate14.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 }, message: "must NOT have additional properties" }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.message_id !== void 0) {
            let data0 = data.message_id;
            const _errs2 = errors;
            if (errors === _errs2) {
              if (typeof data0 === "string") {
                if (func2(data0) > 1e3) {
                  validate14.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "#/properties/message_id/maxLength", keyword: "maxLength", params: { limit: 1e3 }, message: "must NOT have more than 1000 characters" }];
                  return false;
                }
              } else {
                validate14.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "#/properties/message_id/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                return false;
              }
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.recipient_address !== void 0) {
              let data1 = data.recipient_address;
              const _errs4 = errors;
              if (errors === _errs4) {
                if (typeof data1 === "string") {
                  if (func2(data1) > 1e3) {
                    validate14.errors = [{ instancePath: instancePath + "/recipient_address", schemaPath: "#/properties/recipient_address/maxLength", keyword: "maxLength", params: { limit: 1e3 }, message: "must NOT have more than 1000 characters" }];
                    return false;
                  }
                } else {
                  validate14.errors = [{ instancePath: instancePath + "/recipient_address", schemaPath: "#/properties/recipient_address/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                  return false;
                }
              }
              var valid0 = _errs4 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.mls_ciphertext !== void 0) {
                const _errs6 = errors;
                if (typeof data.mls_ciphertext !== "string") {
                  validate14.errors = [{ instancePath: instancePath + "/mls_ciphertext", schemaPath: "#/properties/mls_ciphertext/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                  return false;
                }
                var valid0 = _errs6 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.sender_signature !== void 0) {
                  let data3 = data.sender_signature;
                  const _errs8 = errors;
                  if (errors === _errs8) {
                    if (typeof data3 === "string") {
                      if (func2(data3) > 1e3) {
                        validate14.errors = [{ instancePath: instancePath + "/sender_signature", schemaPath: "#/properties/sender_signature/maxLength", keyword: "maxLength", params: { limit: 1e3 }, message: "must NOT have more than 1000 characters" }];
                        return false;
                      }
                    } else {
                      validate14.errors = [{ instancePath: instancePath + "/sender_signature", schemaPath: "#/properties/sender_signature/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                      return false;
                    }
                  }
                  var valid0 = _errs8 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.timestamp !== void 0) {
                    let data4 = data.timestamp;
                    const _errs10 = errors;
                    if (!(typeof data4 == "number" && (!(data4 % 1) && !isNaN(data4)) && isFinite(data4))) {
                      validate14.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "#/properties/timestamp/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }];
                      return false;
                    }
                    if (errors === _errs10) {
                      if (typeof data4 == "number" && isFinite(data4)) {
                        if (data4 > 9007199254740991 || isNaN(data4)) {
                          validate14.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "#/properties/timestamp/maximum", keyword: "maximum", params: { comparison: "<=", limit: 9007199254740991 }, message: "must be <= 9007199254740991" }];
                          return false;
                        } else {
                          if (data4 < -9007199254740991 || isNaN(data4)) {
                            validate14.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "#/properties/timestamp/minimum", keyword: "minimum", params: { comparison: ">=", limit: -9007199254740991 }, message: "must be >= -9007199254740991" }];
                            return false;
                          }
                        }
                      }
                    }
                    var valid0 = _errs10 === errors;
                  } else {
                    var valid0 = true;
                  }
                  if (valid0) {
                    if (data.system_event !== void 0) {
                      let data5 = data.system_event;
                      const _errs12 = errors;
                      const _errs13 = errors;
                      if (errors === _errs13) {
                        if (data5 && typeof data5 == "object" && !Array.isArray(data5)) {
                          let missing1;
                          if (data5.event === void 0 && (missing1 = "event")) {
                            validate14.errors = [{ instancePath: instancePath + "/system_event", schemaPath: "frames#/definitions/BatchSystemEvent/required", keyword: "required", params: { missingProperty: missing1 }, message: "must have required property '" + missing1 + "'" }];
                            return false;
                          } else {
                            const _errs15 = errors;
                            for (const key1 in data5) {
                              if (!(key1 === "event" || key1 === "extension_type")) {
                                validate14.errors = [{ instancePath: instancePath + "/system_event", schemaPath: "frames#/definitions/BatchSystemEvent/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key1 }, message: "must NOT have additional properties" }];
                                return false;
                                break;
                              }
                            }
                            if (_errs15 === errors) {
                              if (data5.event !== void 0) {
                                let data6 = data5.event;
                                const _errs16 = errors;
                                if (errors === _errs16) {
                                  if (typeof data6 === "string") {
                                    if (func2(data6) > 1e3) {
                                      validate14.errors = [{ instancePath: instancePath + "/system_event/event", schemaPath: "frames#/definitions/BatchSystemEvent/properties/event/maxLength", keyword: "maxLength", params: { limit: 1e3 }, message: "must NOT have more than 1000 characters" }];
                                      return false;
                                    }
                                  } else {
                                    validate14.errors = [{ instancePath: instancePath + "/system_event/event", schemaPath: "frames#/definitions/BatchSystemEvent/properties/event/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                                    return false;
                                  }
                                }
                                var valid2 = _errs16 === errors;
                              } else {
                                var valid2 = true;
                              }
                              if (valid2) {
                                if (data5.extension_type !== void 0) {
                                  let data7 = data5.extension_type;
                                  const _errs18 = errors;
                                  if (typeof data7 !== "string" && data7 !== null) {
                                    validate14.errors = [{ instancePath: instancePath + "/system_event/extension_type", schemaPath: "frames#/definitions/BatchSystemEvent/properties/extension_type/type", keyword: "type", params: { type: schema17.properties.extension_type.type }, message: "must be string,null" }];
                                    return false;
                                  }
                                  if (errors === _errs18) {
                                    if (typeof data7 === "string") {
                                      if (func2(data7) > 1e3) {
                                        validate14.errors = [{ instancePath: instancePath + "/system_event/extension_type", schemaPath: "frames#/definitions/BatchSystemEvent/properties/extension_type/maxLength", keyword: "maxLength", params: { limit: 1e3 }, message: "must NOT have more than 1000 characters" }];
                                        return false;
                                      }
                                    }
                                  }
                                  var valid2 = _errs18 === errors;
                                } else {
                                  var valid2 = true;
                                }
                              }
                            }
                          }
                        } else {
                          validate14.errors = [{ instancePath: instancePath + "/system_event", schemaPath: "frames#/definitions/BatchSystemEvent/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
                          return false;
                        }
                      }
                      var valid0 = _errs12 === errors;
                    } else {
                      var valid0 = true;
                    }
                    if (valid0) {
                      if (data.expires_in_seconds !== void 0) {
                        let data8 = data.expires_in_seconds;
                        const _errs20 = errors;
                        if (!(typeof data8 == "number" && (!(data8 % 1) && !isNaN(data8)) && isFinite(data8))) {
                          validate14.errors = [{ instancePath: instancePath + "/expires_in_seconds", schemaPath: "#/properties/expires_in_seconds/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }];
                          return false;
                        }
                        if (errors === _errs20) {
                          if (typeof data8 == "number" && isFinite(data8)) {
                            if (data8 > 9007199254740991 || isNaN(data8)) {
                              validate14.errors = [{ instancePath: instancePath + "/expires_in_seconds", schemaPath: "#/properties/expires_in_seconds/maximum", keyword: "maximum", params: { comparison: "<=", limit: 9007199254740991 }, message: "must be <= 9007199254740991" }];
                              return false;
                            } else {
                              if (data8 < -9007199254740991 || isNaN(data8)) {
                                validate14.errors = [{ instancePath: instancePath + "/expires_in_seconds", schemaPath: "#/properties/expires_in_seconds/minimum", keyword: "minimum", params: { comparison: ">=", limit: -9007199254740991 }, message: "must be >= -9007199254740991" }];
                                return false;
                              }
                            }
                          }
                        }
                        var valid0 = _errs20 === errors;
                      } else {
                        var valid0 = true;
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate14.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
      return false;
    }
  }
  validate14.errors = vErrors;
  return errors === 0;
}
function validate13(data, { instancePath = "", parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.type === void 0 && (missing0 = "type") || data.message === void 0 && (missing0 = "message")) {
        validate13.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "type" || key0 === "message")) {
            validate13.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 }, message: "must NOT have additional properties" }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.type !== void 0) {
            let data0 = data.type;
            const _errs2 = errors;
            if (typeof data0 !== "string") {
              validate13.errors = [{ instancePath: instancePath + "/type", schemaPath: "#/properties/type/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
              return false;
            }
            if ("send" !== data0) {
              validate13.errors = [{ instancePath: instancePath + "/type", schemaPath: "#/properties/type/const", keyword: "const", params: { allowedValue: "send" }, message: "must be equal to constant" }];
              return false;
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.message !== void 0) {
              const _errs4 = errors;
              if (!validate14(data.message, { instancePath: instancePath + "/message", parentData: data, parentDataProperty: "message", rootData })) {
                vErrors = vErrors === null ? validate14.errors : vErrors.concat(validate14.errors);
                errors = vErrors.length;
              }
              var valid0 = _errs4 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate13.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
      return false;
    }
  }
  validate13.errors = vErrors;
  return errors === 0;
}
function validate11(data, { instancePath = "", parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.type === void 0 && (missing0 = "type")) {
        validate11.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }];
        return false;
      } else {
        const tag0 = data.type;
        if (typeof tag0 == "string") {
          if (tag0 === "auth") {
            const _errs3 = errors;
            if (errors === _errs3) {
              if (data && typeof data == "object" && !Array.isArray(data)) {
                let missing1;
                if (data.type === void 0 && (missing1 = "type") || data.access_token === void 0 && (missing1 = "access_token")) {
                  validate11.errors = [{ instancePath, schemaPath: "frames#/definitions/AuthFrame/required", keyword: "required", params: { missingProperty: missing1 }, message: "must have required property '" + missing1 + "'" }];
                  return false;
                } else {
                  const _errs5 = errors;
                  for (const key0 in data) {
                    if (!(key0 === "type" || key0 === "access_token" || key0 === "window" || key0 === "max_frame_bytes")) {
                      validate11.errors = [{ instancePath, schemaPath: "frames#/definitions/AuthFrame/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 }, message: "must NOT have additional properties" }];
                      return false;
                      break;
                    }
                  }
                  if (_errs5 === errors) {
                    if (data.type !== void 0) {
                      let data0 = data.type;
                      const _errs6 = errors;
                      if (typeof data0 !== "string") {
                        validate11.errors = [{ instancePath: instancePath + "/type", schemaPath: "frames#/definitions/AuthFrame/properties/type/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                        return false;
                      }
                      if ("auth" !== data0) {
                        validate11.errors = [{ instancePath: instancePath + "/type", schemaPath: "frames#/definitions/AuthFrame/properties/type/const", keyword: "const", params: { allowedValue: "auth" }, message: "must be equal to constant" }];
                        return false;
                      }
                      var valid3 = _errs6 === errors;
                    } else {
                      var valid3 = true;
                    }
                    if (valid3) {
                      if (data.access_token !== void 0) {
                        let data1 = data.access_token;
                        const _errs8 = errors;
                        if (errors === _errs8) {
                          if (typeof data1 === "string") {
                            if (func2(data1) > 8192) {
                              validate11.errors = [{ instancePath: instancePath + "/access_token", schemaPath: "frames#/definitions/AuthFrame/properties/access_token/maxLength", keyword: "maxLength", params: { limit: 8192 }, message: "must NOT have more than 8192 characters" }];
                              return false;
                            }
                          } else {
                            validate11.errors = [{ instancePath: instancePath + "/access_token", schemaPath: "frames#/definitions/AuthFrame/properties/access_token/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                            return false;
                          }
                        }
                        var valid3 = _errs8 === errors;
                      } else {
                        var valid3 = true;
                      }
                      if (valid3) {
                        if (data.window !== void 0) {
                          let data2 = data.window;
                          const _errs10 = errors;
                          if (!(typeof data2 == "number" && (!(data2 % 1) && !isNaN(data2)) && isFinite(data2))) {
                            validate11.errors = [{ instancePath: instancePath + "/window", schemaPath: "frames#/definitions/AuthFrame/properties/window/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }];
                            return false;
                          }
                          if (errors === _errs10) {
                            if (typeof data2 == "number" && isFinite(data2)) {
                              if (data2 > 1e3 || isNaN(data2)) {
                                validate11.errors = [{ instancePath: instancePath + "/window", schemaPath: "frames#/definitions/AuthFrame/properties/window/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e3 }, message: "must be <= 1000" }];
                                return false;
                              } else {
                                if (data2 < 1 || isNaN(data2)) {
                                  validate11.errors = [{ instancePath: instancePath + "/window", schemaPath: "frames#/definitions/AuthFrame/properties/window/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 }, message: "must be >= 1" }];
                                  return false;
                                }
                              }
                            }
                          }
                          var valid3 = _errs10 === errors;
                        } else {
                          var valid3 = true;
                        }
                        if (valid3) {
                          if (data.max_frame_bytes !== void 0) {
                            let data3 = data.max_frame_bytes;
                            const _errs12 = errors;
                            if (!(typeof data3 == "number" && (!(data3 % 1) && !isNaN(data3)) && isFinite(data3))) {
                              validate11.errors = [{ instancePath: instancePath + "/max_frame_bytes", schemaPath: "frames#/definitions/AuthFrame/properties/max_frame_bytes/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }];
                              return false;
                            }
                            if (errors === _errs12) {
                              if (typeof data3 == "number" && isFinite(data3)) {
                                if (data3 > 9007199254740991 || isNaN(data3)) {
                                  validate11.errors = [{ instancePath: instancePath + "/max_frame_bytes", schemaPath: "frames#/definitions/AuthFrame/properties/max_frame_bytes/maximum", keyword: "maximum", params: { comparison: "<=", limit: 9007199254740991 }, message: "must be <= 9007199254740991" }];
                                  return false;
                                } else {
                                  if (data3 < 4096 || isNaN(data3)) {
                                    validate11.errors = [{ instancePath: instancePath + "/max_frame_bytes", schemaPath: "frames#/definitions/AuthFrame/properties/max_frame_bytes/minimum", keyword: "minimum", params: { comparison: ">=", limit: 4096 }, message: "must be >= 4096" }];
                                    return false;
                                  }
                                }
                              }
                            }
                            var valid3 = _errs12 === errors;
                          } else {
                            var valid3 = true;
                          }
                        }
                      }
                    }
                  }
                }
              } else {
                validate11.errors = [{ instancePath, schemaPath: "frames#/definitions/AuthFrame/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
                return false;
              }
            }
          } else if (tag0 === "ack") {
            if (!validate12(data, { instancePath, parentData, parentDataProperty, rootData })) {
              vErrors = vErrors === null ? validate12.errors : vErrors.concat(validate12.errors);
              errors = vErrors.length;
            }
          } else if (tag0 === "ack_batch") {
            const _errs16 = errors;
            if (errors === _errs16) {
              if (data && typeof data == "object" && !Array.isArray(data)) {
                let missing2;
                if (data.type === void 0 && (missing2 = "type") || data.message_ids === void 0 && (missing2 = "message_ids")) {
                  validate11.errors = [{ instancePath, schemaPath: "frames#/definitions/AckBatchFrame/required", keyword: "required", params: { missingProperty: missing2 }, message: "must have required property '" + missing2 + "'" }];
                  return false;
                } else {
                  const _errs18 = errors;
                  for (const key1 in data) {
                    if (!(key1 === "type" || key1 === "message_ids")) {
                      validate11.errors = [{ instancePath, schemaPath: "frames#/definitions/AckBatchFrame/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key1 }, message: "must NOT have additional properties" }];
                      return false;
                      break;
                    }
                  }
                  if (_errs18 === errors) {
                    if (data.type !== void 0) {
                      let data4 = data.type;
                      const _errs19 = errors;
                      if (typeof data4 !== "string") {
                        validate11.errors = [{ instancePath: instancePath + "/type", schemaPath: "frames#/definitions/AckBatchFrame/properties/type/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                        return false;
                      }
                      if ("ack_batch" !== data4) {
                        validate11.errors = [{ instancePath: instancePath + "/type", schemaPath: "frames#/definitions/AckBatchFrame/properties/type/const", keyword: "const", params: { allowedValue: "ack_batch" }, message: "must be equal to constant" }];
                        return false;
                      }
                      var valid7 = _errs19 === errors;
                    } else {
                      var valid7 = true;
                    }
                    if (valid7) {
                      if (data.message_ids !== void 0) {
                        let data5 = data.message_ids;
                        const _errs21 = errors;
                        if (errors === _errs21) {
                          if (Array.isArray(data5)) {
                            if (data5.length > 1e3) {
                              validate11.errors = [{ instancePath: instancePath + "/message_ids", schemaPath: "frames#/definitions/AckBatchFrame/properties/message_ids/maxItems", keyword: "maxItems", params: { limit: 1e3 }, message: "must NOT have more than 1000 items" }];
                              return false;
                            } else {
                              if (data5.length < 1) {
                                validate11.errors = [{ instancePath: instancePath + "/message_ids", schemaPath: "frames#/definitions/AckBatchFrame/properties/message_ids/minItems", keyword: "minItems", params: { limit: 1 }, message: "must NOT have fewer than 1 items" }];
                                return false;
                              } else {
                                var valid8 = true;
                                const len0 = data5.length;
                                for (let i0 = 0; i0 < len0; i0++) {
                                  let data6 = data5[i0];
                                  const _errs23 = errors;
                                  if (errors === _errs23) {
                                    if (typeof data6 === "string") {
                                      if (func2(data6) > 1e3) {
                                        validate11.errors = [{ instancePath: instancePath + "/message_ids/" + i0, schemaPath: "frames#/definitions/AckBatchFrame/properties/message_ids/items/maxLength", keyword: "maxLength", params: { limit: 1e3 }, message: "must NOT have more than 1000 characters" }];
                                        return false;
                                      }
                                    } else {
                                      validate11.errors = [{ instancePath: instancePath + "/message_ids/" + i0, schemaPath: "frames#/definitions/AckBatchFrame/properties/message_ids/items/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                                      return false;
                                    }
                                  }
                                  var valid8 = _errs23 === errors;
                                  if (!valid8) {
                                    break;
                                  }
                                }
                              }
                            }
                          } else {
                            validate11.errors = [{ instancePath: instancePath + "/message_ids", schemaPath: "frames#/definitions/AckBatchFrame/properties/message_ids/type", keyword: "type", params: { type: "array" }, message: "must be array" }];
                            return false;
                          }
                        }
                        var valid7 = _errs21 === errors;
                      } else {
                        var valid7 = true;
                      }
                    }
                  }
                }
              } else {
                validate11.errors = [{ instancePath, schemaPath: "frames#/definitions/AckBatchFrame/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
                return false;
              }
            }
          } else if (tag0 === "send") {
            if (!validate13(data, { instancePath, parentData, parentDataProperty, rootData })) {
              vErrors = vErrors === null ? validate13.errors : vErrors.concat(validate13.errors);
              errors = vErrors.length;
            }
          } else if (tag0 === "ping") {
            const _errs27 = errors;
            if (errors === _errs27) {
              if (data && typeof data == "object" && !Array.isArray(data)) {
                let missing3;
                if (data.type === void 0 && (missing3 = "type") || data.timestamp === void 0 && (missing3 = "timestamp")) {
                  validate11.errors = [{ instancePath, schemaPath: "frames#/definitions/PingFrame/required", keyword: "required", params: { missingProperty: missing3 }, message: "must have required property '" + missing3 + "'" }];
                  return false;
                } else {
                  const _errs29 = errors;
                  for (const key2 in data) {
                    if (!(key2 === "type" || key2 === "timestamp")) {
                      validate11.errors = [{ instancePath, schemaPath: "frames#/definitions/PingFrame/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key2 }, message: "must NOT have additional properties" }];
                      return false;
                      break;
                    }
                  }
                  if (_errs29 === errors) {
                    if (data.type !== void 0) {
                      let data7 = data.type;
                      const _errs30 = errors;
                      if (typeof data7 !== "string") {
                        validate11.errors = [{ instancePath: instancePath + "/type", schemaPath: "frames#/definitions/PingFrame/properties/type/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                        return false;
                      }
                      if ("ping" !== data7) {
                        validate11.errors = [{ instancePath: instancePath + "/type", schemaPath: "frames#/definitions/PingFrame/properties/type/const", keyword: "const", params: { allowedValue: "ping" }, message: "must be equal to constant" }];
                        return false;
                      }
                      var valid12 = _errs30 === errors;
                    } else {
                      var valid12 = true;
                    }
                    if (valid12) {
                      if (data.timestamp !== void 0) {
                        let data8 = data.timestamp;
                        const _errs32 = errors;
                        if (!(typeof data8 == "number" && (!(data8 % 1) && !isNaN(data8)) && isFinite(data8))) {
                          validate11.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "frames#/definitions/PingFrame/properties/timestamp/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }];
                          return false;
                        }
                        if (errors === _errs32) {
                          if (typeof data8 == "number" && isFinite(data8)) {
                            if (data8 > 9007199254740991 || isNaN(data8)) {
                              validate11.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "frames#/definitions/PingFrame/properties/timestamp/maximum", keyword: "maximum", params: { comparison: "<=", limit: 9007199254740991 }, message: "must be <= 9007199254740991" }];
                              return false;
                            } else {
                              if (data8 < 0 || isNaN(data8)) {
                                validate11.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "frames#/definitions/PingFrame/properties/timestamp/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 }, message: "must be >= 0" }];
                                return false;
                              }
                            }
                          }
                        }
                        var valid12 = _errs32 === errors;
                      } else {
                        var valid12 = true;
                      }
                    }
                  }
                }
              } else {
                validate11.errors = [{ instancePath, schemaPath: "frames#/definitions/PingFrame/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
                return false;
              }
            }
          } else {
            validate11.errors = [{ instancePath, schemaPath: "#/discriminator", keyword: "discriminator", params: { error: "mapping", tag: "type", tagValue: tag0 }, message: 'value of tag "type" must be in oneOf' }];
            return false;
          }
        } else {
          validate11.errors = [{ instancePath, schemaPath: "#/discriminator", keyword: "discriminator", params: { error: "tag", tag: "type", tagValue: tag0 }, message: 'tag "type" must be string' }];
          return false;
        }
      }
    } else {
      validate11.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
      return false;
    }
  }
  validate11.errors = vErrors;
  return errors === 0;
}
var serverFrame = validate18;
var schema23 = { "type": "string", "enum": ["connected", "reconnecting", "disconnected"], "description": "connected: the stream is authenticated and open. reconnecting: the server is about to close the stream, and the client opens a new one after retry_after. disconnected: the stream ends and the client does not reconnect automatically." };
var pattern1 = new RegExp("^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$", "u");
function validate20(data, { instancePath = "", parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.message_id === void 0 && (missing0 = "message_id") || data.frame_bytes === void 0 && (missing0 = "frame_bytes")) {
        validate20.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }];
        return false;
      } else {
        if (data.message_id !== void 0) {
          let data0 = data.message_id;
          const _errs1 = errors;
          const _errs2 = errors;
          if (errors === _errs2) {
            if (typeof data0 === "string") {
              if (!pattern1.test(data0)) {
                validate20.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "frames#/definitions/CanonicalMessageId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$" }, message: 'must match pattern "^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"' }];
                return false;
              }
            } else {
              validate20.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "frames#/definitions/CanonicalMessageId/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.frame_bytes !== void 0) {
            let data1 = data.frame_bytes;
            const _errs4 = errors;
            if (!(typeof data1 == "number" && (!(data1 % 1) && !isNaN(data1)) && isFinite(data1))) {
              validate20.errors = [{ instancePath: instancePath + "/frame_bytes", schemaPath: "#/properties/frame_bytes/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }];
              return false;
            }
            if (errors === _errs4) {
              if (typeof data1 == "number" && isFinite(data1)) {
                if (data1 > 9007199254740991 || isNaN(data1)) {
                  validate20.errors = [{ instancePath: instancePath + "/frame_bytes", schemaPath: "#/properties/frame_bytes/maximum", keyword: "maximum", params: { comparison: "<=", limit: 9007199254740991 }, message: "must be <= 9007199254740991" }];
                  return false;
                } else {
                  if (data1 < 1 || isNaN(data1)) {
                    validate20.errors = [{ instancePath: instancePath + "/frame_bytes", schemaPath: "#/properties/frame_bytes/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 }, message: "must be >= 1" }];
                    return false;
                  }
                }
              }
            }
            var valid0 = _errs4 === errors;
          } else {
            var valid0 = true;
          }
        }
      }
    } else {
      validate20.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
      return false;
    }
  }
  validate20.errors = vErrors;
  return errors === 0;
}
function validate19(data, { instancePath = "", parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.type === void 0 && (missing0 = "type") || data.status === void 0 && (missing0 = "status") || data.server_timestamp === void 0 && (missing0 = "server_timestamp") || data.next_poll_fallback === void 0 && (missing0 = "next_poll_fallback")) {
        validate19.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }];
        return false;
      } else {
        if (data.type !== void 0) {
          let data0 = data.type;
          const _errs1 = errors;
          if (typeof data0 !== "string") {
            validate19.errors = [{ instancePath: instancePath + "/type", schemaPath: "#/properties/type/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
            return false;
          }
          if ("status" !== data0) {
            validate19.errors = [{ instancePath: instancePath + "/type", schemaPath: "#/properties/type/const", keyword: "const", params: { allowedValue: "status" }, message: "must be equal to constant" }];
            return false;
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.status !== void 0) {
            let data1 = data.status;
            const _errs3 = errors;
            if (typeof data1 !== "string") {
              validate19.errors = [{ instancePath: instancePath + "/status", schemaPath: "frames#/definitions/StreamStatus/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
              return false;
            }
            if (!(data1 === "connected" || data1 === "reconnecting" || data1 === "disconnected")) {
              validate19.errors = [{ instancePath: instancePath + "/status", schemaPath: "frames#/definitions/StreamStatus/enum", keyword: "enum", params: { allowedValues: schema23.enum }, message: "must be equal to one of the allowed values" }];
              return false;
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.server_timestamp !== void 0) {
              let data2 = data.server_timestamp;
              const _errs6 = errors;
              const _errs7 = errors;
              if (!(typeof data2 == "number" && (!(data2 % 1) && !isNaN(data2)) && isFinite(data2))) {
                validate19.errors = [{ instancePath: instancePath + "/server_timestamp", schemaPath: "frames#/definitions/Timestamp/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }];
                return false;
              }
              if (errors === _errs7) {
                if (typeof data2 == "number" && isFinite(data2)) {
                  if (data2 > 253402300799 || isNaN(data2)) {
                    validate19.errors = [{ instancePath: instancePath + "/server_timestamp", schemaPath: "frames#/definitions/Timestamp/maximum", keyword: "maximum", params: { comparison: "<=", limit: 253402300799 }, message: "must be <= 253402300799" }];
                    return false;
                  } else {
                    if (data2 < 0 || isNaN(data2)) {
                      validate19.errors = [{ instancePath: instancePath + "/server_timestamp", schemaPath: "frames#/definitions/Timestamp/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 }, message: "must be >= 0" }];
                      return false;
                    }
                  }
                }
              }
              var valid0 = _errs6 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.next_poll_fallback !== void 0) {
                let data3 = data.next_poll_fallback;
                const _errs9 = errors;
                if (!(typeof data3 == "number" && (!(data3 % 1) && !isNaN(data3)) && isFinite(data3))) {
                  validate19.errors = [{ instancePath: instancePath + "/next_poll_fallback", schemaPath: "#/properties/next_poll_fallback/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }];
                  return false;
                }
                if (errors === _errs9) {
                  if (typeof data3 == "number" && isFinite(data3)) {
                    if (data3 > 86400 || isNaN(data3)) {
                      validate19.errors = [{ instancePath: instancePath + "/next_poll_fallback", schemaPath: "#/properties/next_poll_fallback/maximum", keyword: "maximum", params: { comparison: "<=", limit: 86400 }, message: "must be <= 86400" }];
                      return false;
                    } else {
                      if (data3 < 1 || isNaN(data3)) {
                        validate19.errors = [{ instancePath: instancePath + "/next_poll_fallback", schemaPath: "#/properties/next_poll_fallback/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 }, message: "must be >= 1" }];
                        return false;
                      }
                    }
                  }
                }
                var valid0 = _errs9 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.retry_after !== void 0) {
                  let data4 = data.retry_after;
                  const _errs11 = errors;
                  if (errors === _errs11) {
                    if (typeof data4 == "number" && isFinite(data4)) {
                      if (data4 > 86400 || isNaN(data4)) {
                        validate19.errors = [{ instancePath: instancePath + "/retry_after", schemaPath: "#/properties/retry_after/maximum", keyword: "maximum", params: { comparison: "<=", limit: 86400 }, message: "must be <= 86400" }];
                        return false;
                      } else {
                        if (data4 < 0 || isNaN(data4)) {
                          validate19.errors = [{ instancePath: instancePath + "/retry_after", schemaPath: "#/properties/retry_after/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 }, message: "must be >= 0" }];
                          return false;
                        }
                      }
                    } else {
                      validate19.errors = [{ instancePath: instancePath + "/retry_after", schemaPath: "#/properties/retry_after/type", keyword: "type", params: { type: "number" }, message: "must be number" }];
                      return false;
                    }
                  }
                  var valid0 = _errs11 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.queue_empty !== void 0) {
                    const _errs13 = errors;
                    if (typeof data.queue_empty !== "boolean") {
                      validate19.errors = [{ instancePath: instancePath + "/queue_empty", schemaPath: "#/properties/queue_empty/type", keyword: "type", params: { type: "boolean" }, message: "must be boolean" }];
                      return false;
                    }
                    var valid0 = _errs13 === errors;
                  } else {
                    var valid0 = true;
                  }
                  if (valid0) {
                    if (data.key_packages_remaining !== void 0) {
                      let data6 = data.key_packages_remaining;
                      const _errs15 = errors;
                      if (!(typeof data6 == "number" && (!(data6 % 1) && !isNaN(data6)) && isFinite(data6))) {
                        validate19.errors = [{ instancePath: instancePath + "/key_packages_remaining", schemaPath: "#/properties/key_packages_remaining/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }];
                        return false;
                      }
                      if (errors === _errs15) {
                        if (typeof data6 == "number" && isFinite(data6)) {
                          if (data6 > 1e6 || isNaN(data6)) {
                            validate19.errors = [{ instancePath: instancePath + "/key_packages_remaining", schemaPath: "#/properties/key_packages_remaining/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e6 }, message: "must be <= 1000000" }];
                            return false;
                          } else {
                            if (data6 < 0 || isNaN(data6)) {
                              validate19.errors = [{ instancePath: instancePath + "/key_packages_remaining", schemaPath: "#/properties/key_packages_remaining/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 }, message: "must be >= 0" }];
                              return false;
                            }
                          }
                        }
                      }
                      var valid0 = _errs15 === errors;
                    } else {
                      var valid0 = true;
                    }
                    if (valid0) {
                      if (data.window !== void 0) {
                        let data7 = data.window;
                        const _errs17 = errors;
                        if (!(typeof data7 == "number" && (!(data7 % 1) && !isNaN(data7)) && isFinite(data7))) {
                          validate19.errors = [{ instancePath: instancePath + "/window", schemaPath: "#/properties/window/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }];
                          return false;
                        }
                        if (errors === _errs17) {
                          if (typeof data7 == "number" && isFinite(data7)) {
                            if (data7 > 1e3 || isNaN(data7)) {
                              validate19.errors = [{ instancePath: instancePath + "/window", schemaPath: "#/properties/window/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e3 }, message: "must be <= 1000" }];
                              return false;
                            } else {
                              if (data7 < 1 || isNaN(data7)) {
                                validate19.errors = [{ instancePath: instancePath + "/window", schemaPath: "#/properties/window/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 }, message: "must be >= 1" }];
                                return false;
                              }
                            }
                          }
                        }
                        var valid0 = _errs17 === errors;
                      } else {
                        var valid0 = true;
                      }
                      if (valid0) {
                        if (data.max_sends_in_flight !== void 0) {
                          let data8 = data.max_sends_in_flight;
                          const _errs19 = errors;
                          if (!(typeof data8 == "number" && (!(data8 % 1) && !isNaN(data8)) && isFinite(data8))) {
                            validate19.errors = [{ instancePath: instancePath + "/max_sends_in_flight", schemaPath: "#/properties/max_sends_in_flight/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }];
                            return false;
                          }
                          if (errors === _errs19) {
                            if (typeof data8 == "number" && isFinite(data8)) {
                              if (data8 > 1e3 || isNaN(data8)) {
                                validate19.errors = [{ instancePath: instancePath + "/max_sends_in_flight", schemaPath: "#/properties/max_sends_in_flight/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e3 }, message: "must be <= 1000" }];
                                return false;
                              } else {
                                if (data8 < 1 || isNaN(data8)) {
                                  validate19.errors = [{ instancePath: instancePath + "/max_sends_in_flight", schemaPath: "#/properties/max_sends_in_flight/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 }, message: "must be >= 1" }];
                                  return false;
                                }
                              }
                            }
                          }
                          var valid0 = _errs19 === errors;
                        } else {
                          var valid0 = true;
                        }
                        if (valid0) {
                          if (data.large_message !== void 0) {
                            const _errs21 = errors;
                            if (!validate20(data.large_message, { instancePath: instancePath + "/large_message", parentData: data, parentDataProperty: "large_message", rootData })) {
                              vErrors = vErrors === null ? validate20.errors : vErrors.concat(validate20.errors);
                              errors = vErrors.length;
                            }
                            var valid0 = _errs21 === errors;
                          } else {
                            var valid0 = true;
                          }
                        }
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate19.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
      return false;
    }
  }
  validate19.errors = vErrors;
  return errors === 0;
}
var pattern3 = new RegExp("^[A-Za-z0-9+/]*={0,2}$", "u");
var pattern4 = new RegExp("^[ -~]+$", "u");
function validate23(data, { instancePath = "", parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.message_id === void 0 && (missing0 = "message_id") || data.mls_ciphertext === void 0 && (missing0 = "mls_ciphertext") || data.sender_signature === void 0 && (missing0 = "sender_signature") || data.timestamp === void 0 && (missing0 = "timestamp") || data.received_at === void 0 && (missing0 = "received_at")) {
        validate23.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }];
        return false;
      } else {
        if (data.message_id !== void 0) {
          let data0 = data.message_id;
          const _errs1 = errors;
          const _errs2 = errors;
          if (errors === _errs2) {
            if (typeof data0 === "string") {
              if (!pattern1.test(data0)) {
                validate23.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "frames#/definitions/CanonicalMessageId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$" }, message: 'must match pattern "^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"' }];
                return false;
              }
            } else {
              validate23.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "frames#/definitions/CanonicalMessageId/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.mls_ciphertext !== void 0) {
            let data1 = data.mls_ciphertext;
            const _errs4 = errors;
            const _errs5 = errors;
            if (errors === _errs5) {
              if (typeof data1 === "string") {
                if (func2(data1) < 4) {
                  validate23.errors = [{ instancePath: instancePath + "/mls_ciphertext", schemaPath: "frames#/definitions/Base64Text/minLength", keyword: "minLength", params: { limit: 4 }, message: "must NOT have fewer than 4 characters" }];
                  return false;
                } else {
                  if (!pattern3.test(data1)) {
                    validate23.errors = [{ instancePath: instancePath + "/mls_ciphertext", schemaPath: "frames#/definitions/Base64Text/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9+/]*={0,2}$" }, message: 'must match pattern "^[A-Za-z0-9+/]*={0,2}$"' }];
                    return false;
                  }
                }
              } else {
                validate23.errors = [{ instancePath: instancePath + "/mls_ciphertext", schemaPath: "frames#/definitions/Base64Text/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                return false;
              }
            }
            var valid0 = _errs4 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.sender_signature !== void 0) {
              let data2 = data.sender_signature;
              const _errs7 = errors;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (typeof data2 === "string") {
                  if (func2(data2) > 512) {
                    validate23.errors = [{ instancePath: instancePath + "/sender_signature", schemaPath: "frames#/definitions/SenderSignature/maxLength", keyword: "maxLength", params: { limit: 512 }, message: "must NOT have more than 512 characters" }];
                    return false;
                  } else {
                    if (func2(data2) < 1) {
                      validate23.errors = [{ instancePath: instancePath + "/sender_signature", schemaPath: "frames#/definitions/SenderSignature/minLength", keyword: "minLength", params: { limit: 1 }, message: "must NOT have fewer than 1 characters" }];
                      return false;
                    } else {
                      if (!pattern4.test(data2)) {
                        validate23.errors = [{ instancePath: instancePath + "/sender_signature", schemaPath: "frames#/definitions/SenderSignature/pattern", keyword: "pattern", params: { pattern: "^[ -~]+$" }, message: 'must match pattern "^[ -~]+$"' }];
                        return false;
                      }
                    }
                  }
                } else {
                  validate23.errors = [{ instancePath: instancePath + "/sender_signature", schemaPath: "frames#/definitions/SenderSignature/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                  return false;
                }
              }
              var valid0 = _errs7 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.timestamp !== void 0) {
                let data3 = data.timestamp;
                const _errs10 = errors;
                const _errs11 = errors;
                if (!(typeof data3 == "number" && (!(data3 % 1) && !isNaN(data3)) && isFinite(data3))) {
                  validate23.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "frames#/definitions/Timestamp/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }];
                  return false;
                }
                if (errors === _errs11) {
                  if (typeof data3 == "number" && isFinite(data3)) {
                    if (data3 > 253402300799 || isNaN(data3)) {
                      validate23.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "frames#/definitions/Timestamp/maximum", keyword: "maximum", params: { comparison: "<=", limit: 253402300799 }, message: "must be <= 253402300799" }];
                      return false;
                    } else {
                      if (data3 < 0 || isNaN(data3)) {
                        validate23.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "frames#/definitions/Timestamp/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 }, message: "must be >= 0" }];
                        return false;
                      }
                    }
                  }
                }
                var valid0 = _errs10 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.received_at !== void 0) {
                  let data4 = data.received_at;
                  const _errs13 = errors;
                  const _errs14 = errors;
                  if (!(typeof data4 == "number" && (!(data4 % 1) && !isNaN(data4)) && isFinite(data4))) {
                    validate23.errors = [{ instancePath: instancePath + "/received_at", schemaPath: "frames#/definitions/Timestamp/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }];
                    return false;
                  }
                  if (errors === _errs14) {
                    if (typeof data4 == "number" && isFinite(data4)) {
                      if (data4 > 253402300799 || isNaN(data4)) {
                        validate23.errors = [{ instancePath: instancePath + "/received_at", schemaPath: "frames#/definitions/Timestamp/maximum", keyword: "maximum", params: { comparison: "<=", limit: 253402300799 }, message: "must be <= 253402300799" }];
                        return false;
                      } else {
                        if (data4 < 0 || isNaN(data4)) {
                          validate23.errors = [{ instancePath: instancePath + "/received_at", schemaPath: "frames#/definitions/Timestamp/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 }, message: "must be >= 0" }];
                          return false;
                        }
                      }
                    }
                  }
                  var valid0 = _errs13 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.online !== void 0) {
                    const _errs16 = errors;
                    if (typeof data.online !== "boolean") {
                      validate23.errors = [{ instancePath: instancePath + "/online", schemaPath: "#/properties/online/type", keyword: "type", params: { type: "boolean" }, message: "must be boolean" }];
                      return false;
                    }
                    var valid0 = _errs16 === errors;
                  } else {
                    var valid0 = true;
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate23.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
      return false;
    }
  }
  validate23.errors = vErrors;
  return errors === 0;
}
function validate22(data, { instancePath = "", parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.type === void 0 && (missing0 = "type") || data.data === void 0 && (missing0 = "data")) {
        validate22.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }];
        return false;
      } else {
        if (data.type !== void 0) {
          let data0 = data.type;
          const _errs1 = errors;
          if (typeof data0 !== "string") {
            validate22.errors = [{ instancePath: instancePath + "/type", schemaPath: "#/properties/type/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
            return false;
          }
          if ("message" !== data0) {
            validate22.errors = [{ instancePath: instancePath + "/type", schemaPath: "#/properties/type/const", keyword: "const", params: { allowedValue: "message" }, message: "must be equal to constant" }];
            return false;
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.data !== void 0) {
            const _errs3 = errors;
            if (!validate23(data.data, { instancePath: instancePath + "/data", parentData: data, parentDataProperty: "data", rootData })) {
              vErrors = vErrors === null ? validate23.errors : vErrors.concat(validate23.errors);
              errors = vErrors.length;
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
        }
      }
    } else {
      validate22.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
      return false;
    }
  }
  validate22.errors = vErrors;
  return errors === 0;
}
var schema35 = { "type": "string", "description": "What the ciphertext is about, as the sender states it.", "enum": ["group_extension_updated", "member_added", "member_removed", "epoch_change", "address_rotation"] };
var schema36 = { "type": "object", "required": ["message_id", "mls_ciphertext", "sender_signature", "timestamp", "received_at"], "description": "All members of a message, so that the event is acknowledged like one, and the kind of extension.", "properties": { "message_id": { "$ref": "frames#/definitions/CanonicalMessageId" }, "mls_ciphertext": { "$ref": "frames#/definitions/Base64Text" }, "sender_signature": { "$ref": "frames#/definitions/SenderSignature" }, "timestamp": { "$ref": "frames#/definitions/Timestamp" }, "received_at": { "$ref": "frames#/definitions/Timestamp" }, "online": { "type": "boolean", "description": "True for an online-only message (`expires_in_seconds` 0). It is in no queue, so it needs no acknowledgement. Left out otherwise." }, "extension_type": { "type": ["string", "null"], "maxLength": 64, "description": "The group extension that the event is about, as its sender named it." } } };
function validate26(data, { instancePath = "", parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.message_id === void 0 && (missing0 = "message_id") || data.mls_ciphertext === void 0 && (missing0 = "mls_ciphertext") || data.sender_signature === void 0 && (missing0 = "sender_signature") || data.timestamp === void 0 && (missing0 = "timestamp") || data.received_at === void 0 && (missing0 = "received_at")) {
        validate26.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }];
        return false;
      } else {
        if (data.message_id !== void 0) {
          let data0 = data.message_id;
          const _errs1 = errors;
          const _errs2 = errors;
          if (errors === _errs2) {
            if (typeof data0 === "string") {
              if (!pattern1.test(data0)) {
                validate26.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "frames#/definitions/CanonicalMessageId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$" }, message: 'must match pattern "^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"' }];
                return false;
              }
            } else {
              validate26.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "frames#/definitions/CanonicalMessageId/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.mls_ciphertext !== void 0) {
            let data1 = data.mls_ciphertext;
            const _errs4 = errors;
            const _errs5 = errors;
            if (errors === _errs5) {
              if (typeof data1 === "string") {
                if (func2(data1) < 4) {
                  validate26.errors = [{ instancePath: instancePath + "/mls_ciphertext", schemaPath: "frames#/definitions/Base64Text/minLength", keyword: "minLength", params: { limit: 4 }, message: "must NOT have fewer than 4 characters" }];
                  return false;
                } else {
                  if (!pattern3.test(data1)) {
                    validate26.errors = [{ instancePath: instancePath + "/mls_ciphertext", schemaPath: "frames#/definitions/Base64Text/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9+/]*={0,2}$" }, message: 'must match pattern "^[A-Za-z0-9+/]*={0,2}$"' }];
                    return false;
                  }
                }
              } else {
                validate26.errors = [{ instancePath: instancePath + "/mls_ciphertext", schemaPath: "frames#/definitions/Base64Text/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                return false;
              }
            }
            var valid0 = _errs4 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.sender_signature !== void 0) {
              let data2 = data.sender_signature;
              const _errs7 = errors;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (typeof data2 === "string") {
                  if (func2(data2) > 512) {
                    validate26.errors = [{ instancePath: instancePath + "/sender_signature", schemaPath: "frames#/definitions/SenderSignature/maxLength", keyword: "maxLength", params: { limit: 512 }, message: "must NOT have more than 512 characters" }];
                    return false;
                  } else {
                    if (func2(data2) < 1) {
                      validate26.errors = [{ instancePath: instancePath + "/sender_signature", schemaPath: "frames#/definitions/SenderSignature/minLength", keyword: "minLength", params: { limit: 1 }, message: "must NOT have fewer than 1 characters" }];
                      return false;
                    } else {
                      if (!pattern4.test(data2)) {
                        validate26.errors = [{ instancePath: instancePath + "/sender_signature", schemaPath: "frames#/definitions/SenderSignature/pattern", keyword: "pattern", params: { pattern: "^[ -~]+$" }, message: 'must match pattern "^[ -~]+$"' }];
                        return false;
                      }
                    }
                  }
                } else {
                  validate26.errors = [{ instancePath: instancePath + "/sender_signature", schemaPath: "frames#/definitions/SenderSignature/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                  return false;
                }
              }
              var valid0 = _errs7 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.timestamp !== void 0) {
                let data3 = data.timestamp;
                const _errs10 = errors;
                const _errs11 = errors;
                if (!(typeof data3 == "number" && (!(data3 % 1) && !isNaN(data3)) && isFinite(data3))) {
                  validate26.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "frames#/definitions/Timestamp/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }];
                  return false;
                }
                if (errors === _errs11) {
                  if (typeof data3 == "number" && isFinite(data3)) {
                    if (data3 > 253402300799 || isNaN(data3)) {
                      validate26.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "frames#/definitions/Timestamp/maximum", keyword: "maximum", params: { comparison: "<=", limit: 253402300799 }, message: "must be <= 253402300799" }];
                      return false;
                    } else {
                      if (data3 < 0 || isNaN(data3)) {
                        validate26.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "frames#/definitions/Timestamp/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 }, message: "must be >= 0" }];
                        return false;
                      }
                    }
                  }
                }
                var valid0 = _errs10 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.received_at !== void 0) {
                  let data4 = data.received_at;
                  const _errs13 = errors;
                  const _errs14 = errors;
                  if (!(typeof data4 == "number" && (!(data4 % 1) && !isNaN(data4)) && isFinite(data4))) {
                    validate26.errors = [{ instancePath: instancePath + "/received_at", schemaPath: "frames#/definitions/Timestamp/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }];
                    return false;
                  }
                  if (errors === _errs14) {
                    if (typeof data4 == "number" && isFinite(data4)) {
                      if (data4 > 253402300799 || isNaN(data4)) {
                        validate26.errors = [{ instancePath: instancePath + "/received_at", schemaPath: "frames#/definitions/Timestamp/maximum", keyword: "maximum", params: { comparison: "<=", limit: 253402300799 }, message: "must be <= 253402300799" }];
                        return false;
                      } else {
                        if (data4 < 0 || isNaN(data4)) {
                          validate26.errors = [{ instancePath: instancePath + "/received_at", schemaPath: "frames#/definitions/Timestamp/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 }, message: "must be >= 0" }];
                          return false;
                        }
                      }
                    }
                  }
                  var valid0 = _errs13 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.online !== void 0) {
                    const _errs16 = errors;
                    if (typeof data.online !== "boolean") {
                      validate26.errors = [{ instancePath: instancePath + "/online", schemaPath: "#/properties/online/type", keyword: "type", params: { type: "boolean" }, message: "must be boolean" }];
                      return false;
                    }
                    var valid0 = _errs16 === errors;
                  } else {
                    var valid0 = true;
                  }
                  if (valid0) {
                    if (data.extension_type !== void 0) {
                      let data6 = data.extension_type;
                      const _errs18 = errors;
                      if (typeof data6 !== "string" && data6 !== null) {
                        validate26.errors = [{ instancePath: instancePath + "/extension_type", schemaPath: "#/properties/extension_type/type", keyword: "type", params: { type: schema36.properties.extension_type.type }, message: "must be string,null" }];
                        return false;
                      }
                      if (errors === _errs18) {
                        if (typeof data6 === "string") {
                          if (func2(data6) > 64) {
                            validate26.errors = [{ instancePath: instancePath + "/extension_type", schemaPath: "#/properties/extension_type/maxLength", keyword: "maxLength", params: { limit: 64 }, message: "must NOT have more than 64 characters" }];
                            return false;
                          }
                        }
                      }
                      var valid0 = _errs18 === errors;
                    } else {
                      var valid0 = true;
                    }
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate26.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
      return false;
    }
  }
  validate26.errors = vErrors;
  return errors === 0;
}
function validate25(data, { instancePath = "", parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.type === void 0 && (missing0 = "type") || data.event === void 0 && (missing0 = "event") || data.data === void 0 && (missing0 = "data")) {
        validate25.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }];
        return false;
      } else {
        if (data.type !== void 0) {
          let data0 = data.type;
          const _errs1 = errors;
          if (typeof data0 !== "string") {
            validate25.errors = [{ instancePath: instancePath + "/type", schemaPath: "#/properties/type/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
            return false;
          }
          if ("system" !== data0) {
            validate25.errors = [{ instancePath: instancePath + "/type", schemaPath: "#/properties/type/const", keyword: "const", params: { allowedValue: "system" }, message: "must be equal to constant" }];
            return false;
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.event !== void 0) {
            let data1 = data.event;
            const _errs3 = errors;
            if (typeof data1 !== "string") {
              validate25.errors = [{ instancePath: instancePath + "/event", schemaPath: "frames#/definitions/SystemEventName/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
              return false;
            }
            if (!(data1 === "group_extension_updated" || data1 === "member_added" || data1 === "member_removed" || data1 === "epoch_change" || data1 === "address_rotation")) {
              validate25.errors = [{ instancePath: instancePath + "/event", schemaPath: "frames#/definitions/SystemEventName/enum", keyword: "enum", params: { allowedValues: schema35.enum }, message: "must be equal to one of the allowed values" }];
              return false;
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.data !== void 0) {
              const _errs6 = errors;
              if (!validate26(data.data, { instancePath: instancePath + "/data", parentData: data, parentDataProperty: "data", rootData })) {
                vErrors = vErrors === null ? validate26.errors : vErrors.concat(validate26.errors);
                errors = vErrors.length;
              }
              var valid0 = _errs6 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate25.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
      return false;
    }
  }
  validate25.errors = vErrors;
  return errors === 0;
}
function validate28(data, { instancePath = "", parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.type === void 0 && (missing0 = "type") || data.message_id === void 0 && (missing0 = "message_id") || data.acknowledged === void 0 && (missing0 = "acknowledged")) {
        validate28.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }];
        return false;
      } else {
        if (data.type !== void 0) {
          let data0 = data.type;
          const _errs1 = errors;
          if (typeof data0 !== "string") {
            validate28.errors = [{ instancePath: instancePath + "/type", schemaPath: "#/properties/type/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
            return false;
          }
          if ("ack_confirmed" !== data0) {
            validate28.errors = [{ instancePath: instancePath + "/type", schemaPath: "#/properties/type/const", keyword: "const", params: { allowedValue: "ack_confirmed" }, message: "must be equal to constant" }];
            return false;
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.message_id !== void 0) {
            let data1 = data.message_id;
            const _errs3 = errors;
            const _errs4 = errors;
            if (errors === _errs4) {
              if (typeof data1 === "string") {
                if (!pattern0.test(data1)) {
                  validate28.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "frames#/definitions/MessageId/pattern", keyword: "pattern", params: { pattern: "^(?:[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{12}7[0-9a-fA-F]{3}[89abAB][0-9a-fA-F]{15})$" }, message: 'must match pattern "^(?:[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{12}7[0-9a-fA-F]{3}[89abAB][0-9a-fA-F]{15})$"' }];
                  return false;
                }
              } else {
                validate28.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "frames#/definitions/MessageId/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                return false;
              }
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.acknowledged !== void 0) {
              const _errs6 = errors;
              if (typeof data.acknowledged !== "boolean") {
                validate28.errors = [{ instancePath: instancePath + "/acknowledged", schemaPath: "#/properties/acknowledged/type", keyword: "type", params: { type: "boolean" }, message: "must be boolean" }];
                return false;
              }
              var valid0 = _errs6 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate28.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
      return false;
    }
  }
  validate28.errors = vErrors;
  return errors === 0;
}
var schema45 = { "type": "string", "description": "`queued` and `federated` as in a single message. `rejected`: nothing was stored; `error` and `code` say why. With RATE_LIMIT_EXCEEDED, `limit`, `reset_at` and `retry_after` are those of a single message's error.", "enum": ["queued", "federated", "rejected"] };
var schema46 = { "type": "string", "description": "`immediate`: the recipient has a stream open and does not hide it. `delayed`: the recipient may be offline, or the message had been accepted before.", "enum": ["immediate", "delayed"] };
var schema48 = { "type": ["integer", "null"], "format": "int64", "description": "Unix seconds when the limit or the ban ends; null if it does not expire.", "minimum": 0, "maximum": 253402300799, "examples": [1767229200] };
var pattern9 = new RegExp("^[A-Z][A-Z_]+$", "u");
function validate29(data, { instancePath = "", parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.type === void 0 && (missing0 = "type") || data.message_id === void 0 && (missing0 = "message_id") || data.status === void 0 && (missing0 = "status")) {
        validate29.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }];
        return false;
      } else {
        if (data.type !== void 0) {
          let data0 = data.type;
          const _errs1 = errors;
          if (typeof data0 !== "string") {
            validate29.errors = [{ instancePath: instancePath + "/type", schemaPath: "#/properties/type/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
            return false;
          }
          if ("send_result" !== data0) {
            validate29.errors = [{ instancePath: instancePath + "/type", schemaPath: "#/properties/type/const", keyword: "const", params: { allowedValue: "send_result" }, message: "must be equal to constant" }];
            return false;
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.message_id !== void 0) {
            let data1 = data.message_id;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (typeof data1 === "string") {
                if (func2(data1) > 1e3) {
                  validate29.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "#/properties/message_id/maxLength", keyword: "maxLength", params: { limit: 1e3 }, message: "must NOT have more than 1000 characters" }];
                  return false;
                }
              } else {
                validate29.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "#/properties/message_id/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                return false;
              }
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.recipient_address !== void 0) {
              let data2 = data.recipient_address;
              const _errs5 = errors;
              if (errors === _errs5) {
                if (typeof data2 === "string") {
                  if (func2(data2) > 1e3) {
                    validate29.errors = [{ instancePath: instancePath + "/recipient_address", schemaPath: "#/properties/recipient_address/maxLength", keyword: "maxLength", params: { limit: 1e3 }, message: "must NOT have more than 1000 characters" }];
                    return false;
                  }
                } else {
                  validate29.errors = [{ instancePath: instancePath + "/recipient_address", schemaPath: "#/properties/recipient_address/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                  return false;
                }
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.status !== void 0) {
                let data3 = data.status;
                const _errs7 = errors;
                if (typeof data3 !== "string") {
                  validate29.errors = [{ instancePath: instancePath + "/status", schemaPath: "frames#/definitions/MessageOutcome/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                  return false;
                }
                if (!(data3 === "queued" || data3 === "federated" || data3 === "rejected")) {
                  validate29.errors = [{ instancePath: instancePath + "/status", schemaPath: "frames#/definitions/MessageOutcome/enum", keyword: "enum", params: { allowedValues: schema45.enum }, message: "must be equal to one of the allowed values" }];
                  return false;
                }
                var valid0 = _errs7 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.delivery_estimate !== void 0) {
                  let data4 = data.delivery_estimate;
                  const _errs10 = errors;
                  if (typeof data4 !== "string") {
                    validate29.errors = [{ instancePath: instancePath + "/delivery_estimate", schemaPath: "frames#/definitions/DeliveryEstimate/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                    return false;
                  }
                  if (!(data4 === "immediate" || data4 === "delayed")) {
                    validate29.errors = [{ instancePath: instancePath + "/delivery_estimate", schemaPath: "frames#/definitions/DeliveryEstimate/enum", keyword: "enum", params: { allowedValues: schema46.enum }, message: "must be equal to one of the allowed values" }];
                    return false;
                  }
                  var valid0 = _errs10 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.error !== void 0) {
                    let data5 = data.error;
                    const _errs13 = errors;
                    if (errors === _errs13) {
                      if (typeof data5 === "string") {
                        if (!pattern9.test(data5)) {
                          validate29.errors = [{ instancePath: instancePath + "/error", schemaPath: "#/properties/error/pattern", keyword: "pattern", params: { pattern: "^[A-Z][A-Z_]+$" }, message: 'must match pattern "^[A-Z][A-Z_]+$"' }];
                          return false;
                        }
                      } else {
                        validate29.errors = [{ instancePath: instancePath + "/error", schemaPath: "#/properties/error/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                        return false;
                      }
                    }
                    var valid0 = _errs13 === errors;
                  } else {
                    var valid0 = true;
                  }
                  if (valid0) {
                    if (data.message !== void 0) {
                      let data6 = data.message;
                      const _errs15 = errors;
                      if (errors === _errs15) {
                        if (typeof data6 === "string") {
                          if (func2(data6) > 1e3) {
                            validate29.errors = [{ instancePath: instancePath + "/message", schemaPath: "#/properties/message/maxLength", keyword: "maxLength", params: { limit: 1e3 }, message: "must NOT have more than 1000 characters" }];
                            return false;
                          }
                        } else {
                          validate29.errors = [{ instancePath: instancePath + "/message", schemaPath: "#/properties/message/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                          return false;
                        }
                      }
                      var valid0 = _errs15 === errors;
                    } else {
                      var valid0 = true;
                    }
                    if (valid0) {
                      if (data.code !== void 0) {
                        let data7 = data.code;
                        const _errs17 = errors;
                        if (!(typeof data7 == "number" && (!(data7 % 1) && !isNaN(data7)) && isFinite(data7))) {
                          validate29.errors = [{ instancePath: instancePath + "/code", schemaPath: "#/properties/code/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }];
                          return false;
                        }
                        if (errors === _errs17) {
                          if (typeof data7 == "number" && isFinite(data7)) {
                            if (data7 > 5999 || isNaN(data7)) {
                              validate29.errors = [{ instancePath: instancePath + "/code", schemaPath: "#/properties/code/maximum", keyword: "maximum", params: { comparison: "<=", limit: 5999 }, message: "must be <= 5999" }];
                              return false;
                            } else {
                              if (data7 < 4e3 || isNaN(data7)) {
                                validate29.errors = [{ instancePath: instancePath + "/code", schemaPath: "#/properties/code/minimum", keyword: "minimum", params: { comparison: ">=", limit: 4e3 }, message: "must be >= 4000" }];
                                return false;
                              }
                            }
                          }
                        }
                        var valid0 = _errs17 === errors;
                      } else {
                        var valid0 = true;
                      }
                      if (valid0) {
                        if (data.limit !== void 0) {
                          let data8 = data.limit;
                          const _errs19 = errors;
                          const _errs20 = errors;
                          if (!(typeof data8 == "number" && (!(data8 % 1) && !isNaN(data8)) && isFinite(data8))) {
                            validate29.errors = [{ instancePath: instancePath + "/limit", schemaPath: "frames#/definitions/RateLimit/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }];
                            return false;
                          }
                          if (errors === _errs20) {
                            if (typeof data8 == "number" && isFinite(data8)) {
                              if (data8 > 9007199254740991 || isNaN(data8)) {
                                validate29.errors = [{ instancePath: instancePath + "/limit", schemaPath: "frames#/definitions/RateLimit/maximum", keyword: "maximum", params: { comparison: "<=", limit: 9007199254740991 }, message: "must be <= 9007199254740991" }];
                                return false;
                              } else {
                                if (data8 < 0 || isNaN(data8)) {
                                  validate29.errors = [{ instancePath: instancePath + "/limit", schemaPath: "frames#/definitions/RateLimit/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 }, message: "must be >= 0" }];
                                  return false;
                                }
                              }
                            }
                          }
                          var valid0 = _errs19 === errors;
                        } else {
                          var valid0 = true;
                        }
                        if (valid0) {
                          if (data.reset_at !== void 0) {
                            let data9 = data.reset_at;
                            const _errs22 = errors;
                            const _errs23 = errors;
                            if (!(typeof data9 == "number" && (!(data9 % 1) && !isNaN(data9)) && isFinite(data9)) && data9 !== null) {
                              validate29.errors = [{ instancePath: instancePath + "/reset_at", schemaPath: "frames#/definitions/ResetAt/type", keyword: "type", params: { type: schema48.type }, message: "must be integer,null" }];
                              return false;
                            }
                            if (errors === _errs23) {
                              if (typeof data9 == "number" && isFinite(data9)) {
                                if (data9 > 253402300799 || isNaN(data9)) {
                                  validate29.errors = [{ instancePath: instancePath + "/reset_at", schemaPath: "frames#/definitions/ResetAt/maximum", keyword: "maximum", params: { comparison: "<=", limit: 253402300799 }, message: "must be <= 253402300799" }];
                                  return false;
                                } else {
                                  if (data9 < 0 || isNaN(data9)) {
                                    validate29.errors = [{ instancePath: instancePath + "/reset_at", schemaPath: "frames#/definitions/ResetAt/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 }, message: "must be >= 0" }];
                                    return false;
                                  }
                                }
                              }
                            }
                            var valid0 = _errs22 === errors;
                          } else {
                            var valid0 = true;
                          }
                          if (valid0) {
                            if (data.retry_after !== void 0) {
                              let data10 = data.retry_after;
                              const _errs25 = errors;
                              const _errs26 = errors;
                              if (!(typeof data10 == "number" && (!(data10 % 1) && !isNaN(data10)) && isFinite(data10))) {
                                validate29.errors = [{ instancePath: instancePath + "/retry_after", schemaPath: "frames#/definitions/RetryAfter/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }];
                                return false;
                              }
                              if (errors === _errs26) {
                                if (typeof data10 == "number" && isFinite(data10)) {
                                  if (data10 > 2592e3 || isNaN(data10)) {
                                    validate29.errors = [{ instancePath: instancePath + "/retry_after", schemaPath: "frames#/definitions/RetryAfter/maximum", keyword: "maximum", params: { comparison: "<=", limit: 2592e3 }, message: "must be <= 2592000" }];
                                    return false;
                                  } else {
                                    if (data10 < 0 || isNaN(data10)) {
                                      validate29.errors = [{ instancePath: instancePath + "/retry_after", schemaPath: "frames#/definitions/RetryAfter/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 }, message: "must be >= 0" }];
                                      return false;
                                    }
                                  }
                                }
                              }
                              var valid0 = _errs25 === errors;
                            } else {
                              var valid0 = true;
                            }
                            if (valid0) {
                              if (data.details !== void 0) {
                                let data11 = data.details;
                                const _errs28 = errors;
                                if (errors === _errs28) {
                                  if (Array.isArray(data11)) {
                                    if (data11.length > 10) {
                                      validate29.errors = [{ instancePath: instancePath + "/details", schemaPath: "#/properties/details/maxItems", keyword: "maxItems", params: { limit: 10 }, message: "must NOT have more than 10 items" }];
                                      return false;
                                    } else {
                                      var valid6 = true;
                                      const len0 = data11.length;
                                      for (let i0 = 0; i0 < len0; i0++) {
                                        let data12 = data11[i0];
                                        const _errs30 = errors;
                                        const _errs31 = errors;
                                        if (errors === _errs31) {
                                          if (data12 && typeof data12 == "object" && !Array.isArray(data12)) {
                                            let missing1;
                                            if (data12.path === void 0 && (missing1 = "path") || data12.message === void 0 && (missing1 = "message")) {
                                              validate29.errors = [{ instancePath: instancePath + "/details/" + i0, schemaPath: "frames#/definitions/FrameFault/required", keyword: "required", params: { missingProperty: missing1 }, message: "must have required property '" + missing1 + "'" }];
                                              return false;
                                            } else {
                                              if (data12.path !== void 0) {
                                                let data13 = data12.path;
                                                const _errs33 = errors;
                                                if (errors === _errs33) {
                                                  if (typeof data13 === "string") {
                                                    if (func2(data13) > 200) {
                                                      validate29.errors = [{ instancePath: instancePath + "/details/" + i0 + "/path", schemaPath: "frames#/definitions/FrameFault/properties/path/maxLength", keyword: "maxLength", params: { limit: 200 }, message: "must NOT have more than 200 characters" }];
                                                      return false;
                                                    }
                                                  } else {
                                                    validate29.errors = [{ instancePath: instancePath + "/details/" + i0 + "/path", schemaPath: "frames#/definitions/FrameFault/properties/path/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                                                    return false;
                                                  }
                                                }
                                                var valid8 = _errs33 === errors;
                                              } else {
                                                var valid8 = true;
                                              }
                                              if (valid8) {
                                                if (data12.message !== void 0) {
                                                  let data14 = data12.message;
                                                  const _errs35 = errors;
                                                  if (errors === _errs35) {
                                                    if (typeof data14 === "string") {
                                                      if (func2(data14) > 300) {
                                                        validate29.errors = [{ instancePath: instancePath + "/details/" + i0 + "/message", schemaPath: "frames#/definitions/FrameFault/properties/message/maxLength", keyword: "maxLength", params: { limit: 300 }, message: "must NOT have more than 300 characters" }];
                                                        return false;
                                                      }
                                                    } else {
                                                      validate29.errors = [{ instancePath: instancePath + "/details/" + i0 + "/message", schemaPath: "frames#/definitions/FrameFault/properties/message/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                                                      return false;
                                                    }
                                                  }
                                                  var valid8 = _errs35 === errors;
                                                } else {
                                                  var valid8 = true;
                                                }
                                              }
                                            }
                                          } else {
                                            validate29.errors = [{ instancePath: instancePath + "/details/" + i0, schemaPath: "frames#/definitions/FrameFault/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
                                            return false;
                                          }
                                        }
                                        var valid6 = _errs30 === errors;
                                        if (!valid6) {
                                          break;
                                        }
                                      }
                                    }
                                  } else {
                                    validate29.errors = [{ instancePath: instancePath + "/details", schemaPath: "#/properties/details/type", keyword: "type", params: { type: "array" }, message: "must be array" }];
                                    return false;
                                  }
                                }
                                var valid0 = _errs28 === errors;
                              } else {
                                var valid0 = true;
                              }
                            }
                          }
                        }
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate29.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
      return false;
    }
  }
  validate29.errors = vErrors;
  return errors === 0;
}
var schema51 = { "type": "object", "description": "Something is wrong; the stream may end after it.", "required": ["type", "error", "message", "code"], "properties": { "type": { "type": "string", "const": "error" }, "error": { "type": "string", "pattern": "^[A-Z][A-Z_]+$", "description": "The name in the error catalogue." }, "message": { "type": "string", "maxLength": 1e3, "description": "For people, not for programs." }, "code": { "type": "integer", "minimum": 4e3, "maximum": 5999, "description": "The code in the error catalogue." }, "limit": { "type": "integer", "minimum": 0, "maximum": 9007199254740991, "description": "With RATE_LIMIT_EXCEEDED, how much is allowed." }, "reset_at": { "type": ["integer", "null"], "minimum": 0, "maximum": 253402300799, "description": "With RATE_LIMIT_EXCEEDED, when the limit is reset, in Unix seconds; null if that is not known." }, "retry_after": { "type": "integer", "minimum": 0, "maximum": 86400, "description": "Seconds to wait before trying again." }, "details": { "type": "array", "maxItems": 10, "description": "With INVALID_REQUEST, what is wrong with the frame.", "items": { "$ref": "frames#/definitions/FrameFault" } }, "message_id": { "type": "string", "pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$", "description": "With a failed ack, the message that is still queued. Acknowledge it again after retry_after." }, "message_ids": { "type": "array", "minItems": 1, "maxItems": 1e3, "items": { "$ref": "frames#/definitions/CanonicalMessageId" }, "description": "With a failed ack_batch, its messages; ids that are malformed are left out. Acknowledge them again after retry_after, in one frame or several. More than one such frame comes if `max_frame_bytes` is too small for all ids." } } };
function validate30(data, { instancePath = "", parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.type === void 0 && (missing0 = "type") || data.error === void 0 && (missing0 = "error") || data.message === void 0 && (missing0 = "message") || data.code === void 0 && (missing0 = "code")) {
        validate30.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }];
        return false;
      } else {
        if (data.type !== void 0) {
          let data0 = data.type;
          const _errs1 = errors;
          if (typeof data0 !== "string") {
            validate30.errors = [{ instancePath: instancePath + "/type", schemaPath: "#/properties/type/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
            return false;
          }
          if ("error" !== data0) {
            validate30.errors = [{ instancePath: instancePath + "/type", schemaPath: "#/properties/type/const", keyword: "const", params: { allowedValue: "error" }, message: "must be equal to constant" }];
            return false;
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.error !== void 0) {
            let data1 = data.error;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (typeof data1 === "string") {
                if (!pattern9.test(data1)) {
                  validate30.errors = [{ instancePath: instancePath + "/error", schemaPath: "#/properties/error/pattern", keyword: "pattern", params: { pattern: "^[A-Z][A-Z_]+$" }, message: 'must match pattern "^[A-Z][A-Z_]+$"' }];
                  return false;
                }
              } else {
                validate30.errors = [{ instancePath: instancePath + "/error", schemaPath: "#/properties/error/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                return false;
              }
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.message !== void 0) {
              let data2 = data.message;
              const _errs5 = errors;
              if (errors === _errs5) {
                if (typeof data2 === "string") {
                  if (func2(data2) > 1e3) {
                    validate30.errors = [{ instancePath: instancePath + "/message", schemaPath: "#/properties/message/maxLength", keyword: "maxLength", params: { limit: 1e3 }, message: "must NOT have more than 1000 characters" }];
                    return false;
                  }
                } else {
                  validate30.errors = [{ instancePath: instancePath + "/message", schemaPath: "#/properties/message/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                  return false;
                }
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.code !== void 0) {
                let data3 = data.code;
                const _errs7 = errors;
                if (!(typeof data3 == "number" && (!(data3 % 1) && !isNaN(data3)) && isFinite(data3))) {
                  validate30.errors = [{ instancePath: instancePath + "/code", schemaPath: "#/properties/code/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }];
                  return false;
                }
                if (errors === _errs7) {
                  if (typeof data3 == "number" && isFinite(data3)) {
                    if (data3 > 5999 || isNaN(data3)) {
                      validate30.errors = [{ instancePath: instancePath + "/code", schemaPath: "#/properties/code/maximum", keyword: "maximum", params: { comparison: "<=", limit: 5999 }, message: "must be <= 5999" }];
                      return false;
                    } else {
                      if (data3 < 4e3 || isNaN(data3)) {
                        validate30.errors = [{ instancePath: instancePath + "/code", schemaPath: "#/properties/code/minimum", keyword: "minimum", params: { comparison: ">=", limit: 4e3 }, message: "must be >= 4000" }];
                        return false;
                      }
                    }
                  }
                }
                var valid0 = _errs7 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.limit !== void 0) {
                  let data4 = data.limit;
                  const _errs9 = errors;
                  if (!(typeof data4 == "number" && (!(data4 % 1) && !isNaN(data4)) && isFinite(data4))) {
                    validate30.errors = [{ instancePath: instancePath + "/limit", schemaPath: "#/properties/limit/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }];
                    return false;
                  }
                  if (errors === _errs9) {
                    if (typeof data4 == "number" && isFinite(data4)) {
                      if (data4 > 9007199254740991 || isNaN(data4)) {
                        validate30.errors = [{ instancePath: instancePath + "/limit", schemaPath: "#/properties/limit/maximum", keyword: "maximum", params: { comparison: "<=", limit: 9007199254740991 }, message: "must be <= 9007199254740991" }];
                        return false;
                      } else {
                        if (data4 < 0 || isNaN(data4)) {
                          validate30.errors = [{ instancePath: instancePath + "/limit", schemaPath: "#/properties/limit/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 }, message: "must be >= 0" }];
                          return false;
                        }
                      }
                    }
                  }
                  var valid0 = _errs9 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.reset_at !== void 0) {
                    let data5 = data.reset_at;
                    const _errs11 = errors;
                    if (!(typeof data5 == "number" && (!(data5 % 1) && !isNaN(data5)) && isFinite(data5)) && data5 !== null) {
                      validate30.errors = [{ instancePath: instancePath + "/reset_at", schemaPath: "#/properties/reset_at/type", keyword: "type", params: { type: schema51.properties.reset_at.type }, message: "must be integer,null" }];
                      return false;
                    }
                    if (errors === _errs11) {
                      if (typeof data5 == "number" && isFinite(data5)) {
                        if (data5 > 253402300799 || isNaN(data5)) {
                          validate30.errors = [{ instancePath: instancePath + "/reset_at", schemaPath: "#/properties/reset_at/maximum", keyword: "maximum", params: { comparison: "<=", limit: 253402300799 }, message: "must be <= 253402300799" }];
                          return false;
                        } else {
                          if (data5 < 0 || isNaN(data5)) {
                            validate30.errors = [{ instancePath: instancePath + "/reset_at", schemaPath: "#/properties/reset_at/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 }, message: "must be >= 0" }];
                            return false;
                          }
                        }
                      }
                    }
                    var valid0 = _errs11 === errors;
                  } else {
                    var valid0 = true;
                  }
                  if (valid0) {
                    if (data.retry_after !== void 0) {
                      let data6 = data.retry_after;
                      const _errs13 = errors;
                      if (!(typeof data6 == "number" && (!(data6 % 1) && !isNaN(data6)) && isFinite(data6))) {
                        validate30.errors = [{ instancePath: instancePath + "/retry_after", schemaPath: "#/properties/retry_after/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }];
                        return false;
                      }
                      if (errors === _errs13) {
                        if (typeof data6 == "number" && isFinite(data6)) {
                          if (data6 > 86400 || isNaN(data6)) {
                            validate30.errors = [{ instancePath: instancePath + "/retry_after", schemaPath: "#/properties/retry_after/maximum", keyword: "maximum", params: { comparison: "<=", limit: 86400 }, message: "must be <= 86400" }];
                            return false;
                          } else {
                            if (data6 < 0 || isNaN(data6)) {
                              validate30.errors = [{ instancePath: instancePath + "/retry_after", schemaPath: "#/properties/retry_after/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 }, message: "must be >= 0" }];
                              return false;
                            }
                          }
                        }
                      }
                      var valid0 = _errs13 === errors;
                    } else {
                      var valid0 = true;
                    }
                    if (valid0) {
                      if (data.details !== void 0) {
                        let data7 = data.details;
                        const _errs15 = errors;
                        if (errors === _errs15) {
                          if (Array.isArray(data7)) {
                            if (data7.length > 10) {
                              validate30.errors = [{ instancePath: instancePath + "/details", schemaPath: "#/properties/details/maxItems", keyword: "maxItems", params: { limit: 10 }, message: "must NOT have more than 10 items" }];
                              return false;
                            } else {
                              var valid1 = true;
                              const len0 = data7.length;
                              for (let i0 = 0; i0 < len0; i0++) {
                                let data8 = data7[i0];
                                const _errs17 = errors;
                                const _errs18 = errors;
                                if (errors === _errs18) {
                                  if (data8 && typeof data8 == "object" && !Array.isArray(data8)) {
                                    let missing1;
                                    if (data8.path === void 0 && (missing1 = "path") || data8.message === void 0 && (missing1 = "message")) {
                                      validate30.errors = [{ instancePath: instancePath + "/details/" + i0, schemaPath: "frames#/definitions/FrameFault/required", keyword: "required", params: { missingProperty: missing1 }, message: "must have required property '" + missing1 + "'" }];
                                      return false;
                                    } else {
                                      if (data8.path !== void 0) {
                                        let data9 = data8.path;
                                        const _errs20 = errors;
                                        if (errors === _errs20) {
                                          if (typeof data9 === "string") {
                                            if (func2(data9) > 200) {
                                              validate30.errors = [{ instancePath: instancePath + "/details/" + i0 + "/path", schemaPath: "frames#/definitions/FrameFault/properties/path/maxLength", keyword: "maxLength", params: { limit: 200 }, message: "must NOT have more than 200 characters" }];
                                              return false;
                                            }
                                          } else {
                                            validate30.errors = [{ instancePath: instancePath + "/details/" + i0 + "/path", schemaPath: "frames#/definitions/FrameFault/properties/path/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                                            return false;
                                          }
                                        }
                                        var valid3 = _errs20 === errors;
                                      } else {
                                        var valid3 = true;
                                      }
                                      if (valid3) {
                                        if (data8.message !== void 0) {
                                          let data10 = data8.message;
                                          const _errs22 = errors;
                                          if (errors === _errs22) {
                                            if (typeof data10 === "string") {
                                              if (func2(data10) > 300) {
                                                validate30.errors = [{ instancePath: instancePath + "/details/" + i0 + "/message", schemaPath: "frames#/definitions/FrameFault/properties/message/maxLength", keyword: "maxLength", params: { limit: 300 }, message: "must NOT have more than 300 characters" }];
                                                return false;
                                              }
                                            } else {
                                              validate30.errors = [{ instancePath: instancePath + "/details/" + i0 + "/message", schemaPath: "frames#/definitions/FrameFault/properties/message/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                                              return false;
                                            }
                                          }
                                          var valid3 = _errs22 === errors;
                                        } else {
                                          var valid3 = true;
                                        }
                                      }
                                    }
                                  } else {
                                    validate30.errors = [{ instancePath: instancePath + "/details/" + i0, schemaPath: "frames#/definitions/FrameFault/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
                                    return false;
                                  }
                                }
                                var valid1 = _errs17 === errors;
                                if (!valid1) {
                                  break;
                                }
                              }
                            }
                          } else {
                            validate30.errors = [{ instancePath: instancePath + "/details", schemaPath: "#/properties/details/type", keyword: "type", params: { type: "array" }, message: "must be array" }];
                            return false;
                          }
                        }
                        var valid0 = _errs15 === errors;
                      } else {
                        var valid0 = true;
                      }
                      if (valid0) {
                        if (data.message_id !== void 0) {
                          let data11 = data.message_id;
                          const _errs24 = errors;
                          if (errors === _errs24) {
                            if (typeof data11 === "string") {
                              if (!pattern1.test(data11)) {
                                validate30.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "#/properties/message_id/pattern", keyword: "pattern", params: { pattern: "^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$" }, message: 'must match pattern "^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"' }];
                                return false;
                              }
                            } else {
                              validate30.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "#/properties/message_id/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                              return false;
                            }
                          }
                          var valid0 = _errs24 === errors;
                        } else {
                          var valid0 = true;
                        }
                        if (valid0) {
                          if (data.message_ids !== void 0) {
                            let data12 = data.message_ids;
                            const _errs26 = errors;
                            if (errors === _errs26) {
                              if (Array.isArray(data12)) {
                                if (data12.length > 1e3) {
                                  validate30.errors = [{ instancePath: instancePath + "/message_ids", schemaPath: "#/properties/message_ids/maxItems", keyword: "maxItems", params: { limit: 1e3 }, message: "must NOT have more than 1000 items" }];
                                  return false;
                                } else {
                                  if (data12.length < 1) {
                                    validate30.errors = [{ instancePath: instancePath + "/message_ids", schemaPath: "#/properties/message_ids/minItems", keyword: "minItems", params: { limit: 1 }, message: "must NOT have fewer than 1 items" }];
                                    return false;
                                  } else {
                                    var valid4 = true;
                                    const len1 = data12.length;
                                    for (let i1 = 0; i1 < len1; i1++) {
                                      let data13 = data12[i1];
                                      const _errs28 = errors;
                                      const _errs29 = errors;
                                      if (errors === _errs29) {
                                        if (typeof data13 === "string") {
                                          if (!pattern1.test(data13)) {
                                            validate30.errors = [{ instancePath: instancePath + "/message_ids/" + i1, schemaPath: "frames#/definitions/CanonicalMessageId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$" }, message: 'must match pattern "^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"' }];
                                            return false;
                                          }
                                        } else {
                                          validate30.errors = [{ instancePath: instancePath + "/message_ids/" + i1, schemaPath: "frames#/definitions/CanonicalMessageId/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                                          return false;
                                        }
                                      }
                                      var valid4 = _errs28 === errors;
                                      if (!valid4) {
                                        break;
                                      }
                                    }
                                  }
                                }
                              } else {
                                validate30.errors = [{ instancePath: instancePath + "/message_ids", schemaPath: "#/properties/message_ids/type", keyword: "type", params: { type: "array" }, message: "must be array" }];
                                return false;
                              }
                            }
                            var valid0 = _errs26 === errors;
                          } else {
                            var valid0 = true;
                          }
                        }
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate30.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
      return false;
    }
  }
  validate30.errors = vErrors;
  return errors === 0;
}
function validate18(data, { instancePath = "", parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.type === void 0 && (missing0 = "type")) {
        validate18.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 }, message: "must have required property '" + missing0 + "'" }];
        return false;
      } else {
        const tag0 = data.type;
        if (typeof tag0 == "string") {
          if (tag0 === "status") {
            if (!validate19(data, { instancePath, parentData, parentDataProperty, rootData })) {
              vErrors = vErrors === null ? validate19.errors : vErrors.concat(validate19.errors);
              errors = vErrors.length;
            }
          } else if (tag0 === "message") {
            if (!validate22(data, { instancePath, parentData, parentDataProperty, rootData })) {
              vErrors = vErrors === null ? validate22.errors : vErrors.concat(validate22.errors);
              errors = vErrors.length;
            }
          } else if (tag0 === "system") {
            if (!validate25(data, { instancePath, parentData, parentDataProperty, rootData })) {
              vErrors = vErrors === null ? validate25.errors : vErrors.concat(validate25.errors);
              errors = vErrors.length;
            }
          } else if (tag0 === "ack_confirmed") {
            if (!validate28(data, { instancePath, parentData, parentDataProperty, rootData })) {
              vErrors = vErrors === null ? validate28.errors : vErrors.concat(validate28.errors);
              errors = vErrors.length;
            }
          } else if (tag0 === "ack_batch_confirmed") {
            const _errs7 = errors;
            if (errors === _errs7) {
              if (data && typeof data == "object" && !Array.isArray(data)) {
                let missing1;
                if (data.type === void 0 && (missing1 = "type") || data.acknowledged_count === void 0 && (missing1 = "acknowledged_count") || data.failed_count === void 0 && (missing1 = "failed_count")) {
                  validate18.errors = [{ instancePath, schemaPath: "frames#/definitions/AckBatchConfirmedFrame/required", keyword: "required", params: { missingProperty: missing1 }, message: "must have required property '" + missing1 + "'" }];
                  return false;
                } else {
                  if (data.type !== void 0) {
                    let data0 = data.type;
                    const _errs9 = errors;
                    if (typeof data0 !== "string") {
                      validate18.errors = [{ instancePath: instancePath + "/type", schemaPath: "frames#/definitions/AckBatchConfirmedFrame/properties/type/type", keyword: "type", params: { type: "string" }, message: "must be string" }];
                      return false;
                    }
                    if ("ack_batch_confirmed" !== data0) {
                      validate18.errors = [{ instancePath: instancePath + "/type", schemaPath: "frames#/definitions/AckBatchConfirmedFrame/properties/type/const", keyword: "const", params: { allowedValue: "ack_batch_confirmed" }, message: "must be equal to constant" }];
                      return false;
                    }
                    var valid7 = _errs9 === errors;
                  } else {
                    var valid7 = true;
                  }
                  if (valid7) {
                    if (data.acknowledged_count !== void 0) {
                      let data1 = data.acknowledged_count;
                      const _errs11 = errors;
                      if (!(typeof data1 == "number" && (!(data1 % 1) && !isNaN(data1)) && isFinite(data1))) {
                        validate18.errors = [{ instancePath: instancePath + "/acknowledged_count", schemaPath: "frames#/definitions/AckBatchConfirmedFrame/properties/acknowledged_count/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }];
                        return false;
                      }
                      if (errors === _errs11) {
                        if (typeof data1 == "number" && isFinite(data1)) {
                          if (data1 > 1e3 || isNaN(data1)) {
                            validate18.errors = [{ instancePath: instancePath + "/acknowledged_count", schemaPath: "frames#/definitions/AckBatchConfirmedFrame/properties/acknowledged_count/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e3 }, message: "must be <= 1000" }];
                            return false;
                          } else {
                            if (data1 < 0 || isNaN(data1)) {
                              validate18.errors = [{ instancePath: instancePath + "/acknowledged_count", schemaPath: "frames#/definitions/AckBatchConfirmedFrame/properties/acknowledged_count/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 }, message: "must be >= 0" }];
                              return false;
                            }
                          }
                        }
                      }
                      var valid7 = _errs11 === errors;
                    } else {
                      var valid7 = true;
                    }
                    if (valid7) {
                      if (data.failed_count !== void 0) {
                        let data2 = data.failed_count;
                        const _errs13 = errors;
                        if (!(typeof data2 == "number" && (!(data2 % 1) && !isNaN(data2)) && isFinite(data2))) {
                          validate18.errors = [{ instancePath: instancePath + "/failed_count", schemaPath: "frames#/definitions/AckBatchConfirmedFrame/properties/failed_count/type", keyword: "type", params: { type: "integer" }, message: "must be integer" }];
                          return false;
                        }
                        if (errors === _errs13) {
                          if (typeof data2 == "number" && isFinite(data2)) {
                            if (data2 > 1e3 || isNaN(data2)) {
                              validate18.errors = [{ instancePath: instancePath + "/failed_count", schemaPath: "frames#/definitions/AckBatchConfirmedFrame/properties/failed_count/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e3 }, message: "must be <= 1000" }];
                              return false;
                            } else {
                              if (data2 < 0 || isNaN(data2)) {
                                validate18.errors = [{ instancePath: instancePath + "/failed_count", schemaPath: "frames#/definitions/AckBatchConfirmedFrame/properties/failed_count/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 }, message: "must be >= 0" }];
                                return false;
                              }
                            }
                          }
                        }
                        var valid7 = _errs13 === errors;
                      } else {
                        var valid7 = true;
                      }
                    }
                  }
                }
              } else {
                validate18.errors = [{ instancePath, schemaPath: "frames#/definitions/AckBatchConfirmedFrame/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
                return false;
              }
            }
          } else if (tag0 === "send_result") {
            if (!validate29(data, { instancePath, parentData, parentDataProperty, rootData })) {
              vErrors = vErrors === null ? validate29.errors : vErrors.concat(validate29.errors);
              errors = vErrors.length;
            }
          } else if (tag0 === "error") {
            if (!validate30(data, { instancePath, parentData, parentDataProperty, rootData })) {
              vErrors = vErrors === null ? validate30.errors : vErrors.concat(validate30.errors);
              errors = vErrors.length;
            }
          } else {
            validate18.errors = [{ instancePath, schemaPath: "#/discriminator", keyword: "discriminator", params: { error: "mapping", tag: "type", tagValue: tag0 }, message: 'value of tag "type" must be in oneOf' }];
            return false;
          }
        } else {
          validate18.errors = [{ instancePath, schemaPath: "#/discriminator", keyword: "discriminator", params: { error: "tag", tag: "type", tagValue: tag0 }, message: 'tag "type" must be string' }];
          return false;
        }
      }
    } else {
      validate18.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" }, message: "must be object" }];
      return false;
    }
  }
  validate18.errors = vErrors;
  return errors === 0;
}

/** @type {FrameValidator<import('./frames.js').ClientFrame>} */
export const validateClientFrame = /** @type {any} */ (clientFrame);
/** @type {FrameValidator<import('./frames.js').ServerFrame>} */
export const validateServerFrame = /** @type {any} */ (serverFrame);
