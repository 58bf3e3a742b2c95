// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/ranktable/tables.h"

namespace adarun::ranktable {

/// One small table of each schema besides 1.0, byte for byte as `write` gives it.
inline const std::string super_pods_text = R"({
    "version": "1.2",
    "server_count": "1",
    "server_list": [
        {
            "server_id": "node_0",
            "device": [
                {
                    "device_id": "0",
                    "device_ip": "192.168.1.6",
                    "super_device_id": "4294967295",
                    "rank_id": "0",
                    "backup_device_ip": "192.168.1.7"
                }
            ],
            "host_ip": "172.16.0.100"
        }
    ],
    "super_pod_list": [
        {
            "super_pod_id": "pod_0",
            "server_list": [
                {
                    "server_id": "node_0"
                }
            ]
        }
    ],
    "status": "completed"
})";

inline const std::string cloud_text = R"({
    "status": "completed",
    "group_count": "1",
    "group_list": [
        {
            "group_name": "hccl_world_group",
            "instance_count": "1",
            "device_count": "2",
            "instance_list": [
                {
                    "pod_name": "tf-bae41",
                    "server_id": "node_0",
                    "devices": [
                        {
                            "device_id": "1",
                            "device_ip": "192.168.1.9"
                        },
                        {
                            "device_id": "0",
                            "device_ip": "192.168.1.8"
                        }
                    ]
                }
            ]
        }
    ]
})";

inline const std::string lab_text = R"({
    "board_id": "0x0020",
    "chip_info": "910",
    "deploy_mode": "lab",
    "group_count": "1",
    "group_list": [
        {
            "device_num": "2",
            "server_num": "1",
            "group_name": "",
            "instance_count": "2",
            "instance_list": [
                {
                    "devices": [
                        {
                            "device_id": "0",
                            "device_ip": "192.1.27.6"
                        }
                    ],
                    "rank_id": "0",
                    "server_id": "10.155.111.140"
                },
                {
                    "devices": [
                        {
                            "device_id": "1",
                            "device_ip": "192.2.27.6"
                        }
                    ],
                    "rank_id": "1",
                    "server_id": "10.155.111.140"
                }
            ]
        }
    ],
    "para_plane_nic_location": "device",
    "para_plane_nic_name": [
        "eth0",
        "eth1"
    ],
    "para_plane_nic_num": "2",
    "status": "completed"
})";

inline const std::string rank_list_text = R"({
    "status": "completed",
    "version": "2.0",
    "rank_count": 1,
    "rank_list": [
        {
            "rank_id": 0,
            "local_id": 3,
            "device_id": 2,
            "device_port": 16666,
            "host_port": 60001,
            "level_list": [
                {
                    "net_layer": 0,
                    "net_instance_id": "az0-rack0",
                    "net_type": "TOPO_FILE_DESC",
                    "net_attr": "",
                    "rank_addr_list": [
                        {
                            "addr_type": "EID",
                            "addr": "000000000000000000100000dfdf0020",
                            "ports": [
                                "0/4",
                                "0/5"
                            ],
                            "plane_id": "plane0"
                        }
                    ]
                },
                {
                    "net_layer": 3,
                    "net_instance_id": "cluster",
                    "rank_addr_list": [
                        {
                            "addr_type": "IPV4",
                            "addr": "192.168.100.101",
                            "ports": [
                                "d2h"
                            ]
                        }
                    ]
                }
            ],
            "control_plane": {
                "addr_type": "IPV4",
                "addr": "192.168.100.100",
                "listen_port": 8000
            }
        }
    ],
    "detour": "true"
})";

inline const std::string server_group_text = R"({
    "version": "1.2",
    "status": "completed",
    "server_group_list": [
        {
            "group_id": "0",
            "server_count": "1",
            "server_list": [
                {
                    "server_ip": "10.0.0.9"
                }
            ]
        },
        {
            "group_id": "1",
            "deploy_server": "0",
            "server_count": "1",
            "server_list": [
                {
                    "server_id": "10.0.0.2",
                    "server_ip": "172.16.0.2",
                    "container_ip": "172.17.0.2",
                    "device": [
                        {
                            "device_id": "6",
                            "device_ip": "192.168.1.6",
                            "device_logical_id": "0",
                            "super_device_id": "17",
                            "rank_id": "1"
                        },
                        {
                            "device_id": "7",
                            "device_ip": "192.168.1.7",
                            "rank_id": "0",
                            "numa_id": 1
                        }
                    ],
                    "hardware_type": "800I-A2-32G"
                }
            ],
            "super_pod_list": [
                {
                    "super_pod_id": "0",
                    "server_list": [
                        {
                            "server_id": "10.0.0.2"
                        }
                    ]
                }
            ]
        }
    ]
})";

/// A text with its first `from` replaced by `to`, and the start of the message if it is refused.
struct Edit {
  const char* from;
  const char* to;
  const char* message = "";
};

inline std::string apply(std::string text, const Edit& edit) {
  const std::size_t at = text.find(edit.from);
  EXPECT_NE(at, std::string::npos) << edit.from;
  return text.replace(at, std::string(edit.from).size(), edit.to);
}

}  // namespace adarun::ranktable
